"""One session of a vault: it seals values, opens them for a purpose, and keeps the session's records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NoReturn, TypeVar

from sealgate.models.errors import AuditUnavailable, InvalidInput, SessionShredded, StoreFull
from sealgate.models.grants import Inject, Purpose, Restore, Reveal
from sealgate.models.placeholder import Placeholder
from sealgate.models.sealing import CallPart, EntryFacts, LiveValue, Permit, SealRequest
from sealgate.models.secretvalue import SecretValue

from .endings import end_entries, ends_with_turn, renew
from .guarded import keep_anchor
from .guesses import Guesses
from .index import CODE_LENGTHS, Mark
from .known import KnownForms
from .ledger import Spent
from .matching import Matching
from .opening import CallOpening, Opening, borrow, find
from .records import Records
from .sealing import Sealed, Sealing, check_request
from .secretbytes import SecretBytes
from .shared import Shared
from .state import SessionState, State
from .store import Transaction

Built = TypeVar("Built")

_GENERATIONS: Final = 2**16
"""Changes of a session after which its data key is renewed. Each encrypts at most twice 10,000 forms, so that one key
encrypts fewer than 2^31 messages: half of what random nonces of 96 bits allow (NIST SP 800-38D, section 8.3)."""


class VaultSession:
    """The vault's side of one session; fulfils ``Sealer``, ``Opener``, ``CallOpener`` and ``GuessCounter`` of
    ``models.sealing``.

    Made by ``Vault.session`` only. May be used from many threads. ``id`` is an opaque reference that may be shown;
    ``records`` are the session's encrypted records, ``state`` its row and keys, for the vault itself.
    Values leave through ``open`` and, for building a matcher, through ``match``.
    """

    def __init__(self, shared: Shared, state: SessionState, name: str, tenant: str, subject: str | None) -> None:
        self.name = name
        self.tenant = tenant
        self.subject = subject
        self.id = state.sref.hex()
        self.records = Records(shared, state)
        self._shared = shared
        self.state = state
        self._known = KnownForms()
        self._held: tuple[int, int | None] = (-1, None)
        self._matching = Matching()
        self._guesses = Guesses(self.records)

    def seal(self, requests: Sequence[SealRequest]) -> list[Placeholder]:
        """One placeholder a request, in order, in one transaction: see ``models.sealing.Sealer.seal``.

        Values that are all known already cost one row read and no write. Values longer than 65,536 bytes are
        ``TextTooLong``.
        """
        for request in requests:
            check_request(request)
        state = self.state.latest or self._read_state()
        index = state.keys.index
        marks = [index.mark(one.value, apart=one.apart) for one in requests]
        if not self._known.has(marks):
            return self._seal(requests, marks)
        known = self._known.placeholders(self._read_state().row.gen, requests, marks)
        return known if known is not None else self._seal(requests, marks)

    def _seal(self, requests: Sequence[SealRequest], marks: Sequence[Mark]) -> list[Placeholder]:
        with self._shared.write() as transaction:
            state = self.state.load(transaction)
            codes = (mark.code(CODE_LENGTHS[0]) for mark in marks)
            transaction.entries.gather(state.row.sid, (mark.identity for mark in marks), codes)
            held = self._held[1] if self._held[0] == state.row.gen else None
            sealing = Sealing(state, transaction.entries, self._shared.clock.now_ms(), self._shared.random, held)
            sealed = [sealing.seal(request, mark) for request, mark in zip(requests, marks, strict=True)]
            after = self._finish_sealing(transaction, state, sealing, sealed) if sealing.changed else state
        self._held = (after.row.gen, sealing.held)
        self._known.learn(state.row.gen, after.row.gen, sealed, marks)
        return [one.placeholder for one in sealed]

    def _finish_sealing(
        self, transaction: Transaction, state: State, sealing: Sealing, sealed: Sequence[Sealed]
    ) -> State:
        fresh = [one for one in sealed if one.fresh]
        if fresh:
            origins = sorted({origin for one in fresh for origin in one.facts.origins})
            fields = {"origins": origins, "gen": state.row.gen + 1}
            self._audit(transaction, "sealed", [one.placeholder for one in fresh], fields)
        return self._store(transaction, state, sealing.spent, moved=sealing.moved)

    def open(self, placeholders: Sequence[Placeholder], purpose: Purpose) -> dict[Placeholder, SecretValue]:
        """The values of those placeholders: see ``models.sealing.Opener.open``, and ``opening`` for the grants.

        The audit row, and the use of a one-time value, are committed before a value is returned. For ``Inject`` that
        commit survives the loss of power; for the other purposes it survives the death of the process.
        """
        opening: Opening
        try:
            with self._shared.write(durable=isinstance(purpose, Inject)) as transaction:
                state = self.state.load(transaction)
                opening = Opening(state, purpose, self._shared.clock.now_ms())
                opening.run(transaction.entries, placeholders)
                self._audit_opening(transaction, state, purpose, opening, placeholders)
                if opening.burnt:
                    self._store(transaction, state, opening.spent, moved=False)
        except StoreFull:
            raise AuditUnavailable("the audit row could not be written, so nothing was opened") from None
        if opening.refusal is not None:
            raise opening.refusal
        return opening.values

    def borrow(self, placeholder: Placeholder, purpose: Restore | Reveal) -> SecretBytes:
        """One value in a buffer that is wiped when its block ends; see ``secretbytes`` for how far that goes.

        The audit row is committed first. Raises ``UnknownPlaceholder``, ``ValueGone`` and ``AuditUnavailable``.
        """
        if not isinstance(purpose, Restore | Reveal):
            raise InvalidInput("a tool call is given its values by open_call")
        try:
            with self._shared.write(durable=False) as transaction:
                state = self.state.load(transaction)
                secret = borrow(state, transaction.entries, placeholder, self._shared.clock.now_ms())
                self._audit(transaction, "opened", [placeholder], self._shared.describe(purpose))
        except StoreFull:
            raise AuditUnavailable("the audit row could not be written, so nothing was opened") from None
        return secret

    def open_call(self, parts: Sequence[CallPart], permit: Permit) -> list[dict[Placeholder, SecretValue]]:
        """The values of everything that one call holds: see ``models.sealing.CallOpener.open_call``.

        One transaction: every audit row and the use of every one-time value are committed before a value is returned.
        """
        try:
            with self._shared.write() as transaction:
                state = self.state.load(transaction)
                opening = CallOpening(state, parts, self._shared.clock.now_ms())
                opening.run(transaction.entries, permit)
                for part, (purpose, placeholders) in zip(opening.parts, parts, strict=True):
                    self._audit_opening(transaction, state, purpose, part, placeholders)
                if opening.burnt:
                    self._store(transaction, state, opening.spent, moved=False)
        except StoreFull:
            raise AuditUnavailable("the audit row could not be written, so nothing was opened") from None
        if opening.refusal is not None:
            raise opening.refusal
        return [part.values for part in opening.parts]

    def match(self, build: Callable[[Sequence[LiveValue]], Built]) -> Built:
        """What ``build`` makes of all live searchable values: see ``models.sealing.Sealer.match``."""
        now = self._shared.clock.now_ms()
        try:
            live = self._matching.current(self._read_state().row.gen, now)
            if live is None:
                with self._shared.read() as transaction:
                    live = self._matching.refresh(self.state.load(transaction), transaction.entries, now)
        except SessionShredded:
            self._matching.clear()
            raise
        return self._matching.build(live, build)

    def admit(self, codes: Sequence[str], tokens: Sequence[str]) -> int:
        """How many of the tokens may be compared with these secrets: see ``models.sealing.GuessCounter.admit``."""
        return self._guesses.admit(self._read_state().keys.index, codes, tokens)

    def facts(self, placeholders: Iterable[Placeholder]) -> dict[Placeholder, EntryFacts]:
        """What may be known of entries without opening them; placeholders of no stored entry are absent."""
        wanted = list(dict.fromkeys(placeholders))
        if len(wanted) == 1:
            row, forms = self._shared.store.look(self.state.sref, wanted[0].code)
            if row is None or self.state.root.has_kek(row.kek_id):
                state = self.state.check(row)
                spent = state.spent()
                one = find(state, spent, forms, wanted[0])
                return {} if one is None else {one.placeholder: one.shown(spent)}
        return self._facts(wanted)

    def _facts(self, wanted: Sequence[Placeholder]) -> dict[Placeholder, EntryFacts]:
        with self._shared.read() as transaction:
            state = self.state.load(transaction)
            transaction.entries.gather(state.row.sid, (), (one.code for one in wanted))
            rows = [transaction.entries.by_code(state.row.sid, one.code) for one in wanted]
        spent = state.spent()
        found = [find(state, spent, forms, one) for one, forms in zip(wanted, rows, strict=True)]
        return {one.placeholder: one.shown(spent) for one in found if one is not None}

    def bind(self, purpose: str, *fields: str) -> str:
        """An HMAC of these fields under the session's key, 32 hex digits: what only this session can have said."""
        return self._read_state().keys.index.name(purpose, *fields).hex()

    def retire(self, placeholders: Iterable[Placeholder]) -> None:
        """Destroys these entries, all their forms. What was not issued here, or is gone already, is passed over."""
        wanted = list(placeholders)
        with self._shared.write() as transaction:
            state = self.state.load(transaction)
            rows = [row for one in wanted for row in transaction.entries.by_code(state.row.sid, one.code)]
            if rows:
                spent = end_entries(transaction, state, rows)
                self._audit(transaction, "destroyed", wanted, {"reason": "retired", "gen": state.row.gen + 1})
                self._store(transaction, state, spent, moved=True)

    def end_turn(self) -> None:
        """Destroys what lives no longer than its turn: burnt one-time values, PINs, and what has expired."""
        with self._shared.write() as transaction:
            state = self.state.load(transaction)
            mortal = self._matching.refresh(state, transaction.entries, self._shared.clock.now_ms()).mortal
            rows, shown = ends_with_turn(transaction, state, mortal, self._shared.clock.now_ms())
            if rows:
                spent = end_entries(transaction, state, rows)
                self._audit(transaction, "destroyed", shown, {"reason": "turn.ended", "gen": state.row.gen + 1})
                self._store(transaction, state, spent, moved=True)

    def forget(self, placeholders: Iterable[Placeholder]) -> None:
        """Destroys these entries and renews the data key: copies of their rows, in old backups of the rows too, are
        useless. All other placeholders stay. Backups that hold the old wrapped key open until its key is destroyed.
        """
        wanted = list(placeholders)
        with self._shared.write() as transaction:
            state = self.state.load(transaction)
            rows = [row for one in wanted for row in transaction.entries.by_code(state.row.sid, one.code)]
            end_entries(transaction, state, rows)
            self._audit(transaction, "destroyed", wanted, {"reason": "forgotten", "gen": state.row.gen + 1})
            renew(transaction, self.state, state)
        self._matching.clear()
        keep_anchor(self._shared.store)

    def shred(self) -> bool:
        """Destroys the session's keys and data; its name is never used again. Old backups keep what they hold until
        the key that wraps the session there is destroyed.

        ``False`` when deleted data is left on the disk: repeat ``Vault.purge`` until it is ``True``. On a full disk it
        makes room by writing the journal back; if that is not enough either, ``StoreFull``, and nothing is destroyed.
        """
        try:
            self._bury()
        except StoreFull:
            self._shared.store.purge()
            self._bury()
        self.drop_keys()
        keep_anchor(self._shared.store)
        return self._shared.store.purge()

    def _bury(self) -> None:
        with self._shared.write() as transaction:
            state = self.state.load(transaction)
            self._audit(transaction, "shredded", [], {})
            transaction.sessions.bury(state.row.sid)

    def drop_keys(self) -> None:
        """Drops the keys and everything that was decrypted with them; the next use loads what it needs again."""
        self.state.drop()
        self._matching.clear()
        self._known.clear()

    def _read_state(self) -> State:
        row = self._shared.store.session(self.state.sref)
        if row is None or self.state.root.has_kek(row.kek_id):
            return self.state.check(row)
        with self._shared.read() as transaction:
            return self.state.load(transaction)

    def _store(self, transaction: Transaction, state: State, spent: Spent, *, moved: bool) -> State:
        """Writes the ledger under a new generation.

        When too many lives have ended, a new data key ends them all; after 2^16 generations there is a new one anyhow.
        """
        gen = state.row.gen + 1
        short = spent.trim(self._shared.clock.now_ms())
        spent.moved = gen if moved else spent.moved
        row = state.row._replace(gen=gen, spent=spent.encode())
        after = self.state.store(transaction, state, row, spent)
        return after if short and gen % _GENERATIONS else renew(transaction, self.state, after)

    def _audit(
        self, transaction: Transaction, action: str, shown: Sequence[Placeholder], fields: Mapping[str, object]
    ) -> None:
        named = {"placeholders": [str(one) for one in shown], "count": len(shown)} if shown else {}
        self._shared.audit.record(transaction, action, self.id, {**named, **fields})

    def _audit_opening(
        self, transaction: Transaction, state: State, purpose: Purpose, opening: Opening, asked: Sequence[Placeholder]
    ) -> None:
        self._shared.note_end(transaction, opening.ended)
        fields = self._shared.describe(purpose) | opening.outcome(state.row.gen + 1)
        if opening.refusal is not None:
            self._audit(transaction, "refused", asked, fields)
        elif opening.values:
            self._audit(transaction, "opened", list(opening.values), fields)

    def __repr__(self) -> str:
        return f"VaultSession(id={self.id!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a session cannot be pickled")

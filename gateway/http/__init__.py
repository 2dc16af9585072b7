"""HTTP: what an application of FastAPI or Starlette serves of a gateway."""

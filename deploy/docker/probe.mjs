// The health check of a container: whether the service in it is ready.
const port = process.env.ADMIN_ADDRESS?.split(':').at(-1);
const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
process.exit(response?.ok ? 0 : 1);

/**
 * Loaded into every service before its own code (`node --import`): the process ends when the one that started it is
 * gone, however that went. Even kill -9 closes the channel between the two.
 */
const GRACE_MS = 10_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
});
// Listening alone must not keep a process that has nothing left to do.
process.channel?.unref();

import type { Drill } from '../drill.js';

export const postgresKill: Drill = {
  name: 'postgres-kill',
  about: 'Postgres is killed, as if the power went',
  recovery: 'Postgres is started again and recovers what was committed',
  plan: { faultMs: 2_000, afterMs: 5_000 },
  fault: ({ servers }) => servers.postgres.kill(),
  heal: ({ servers }) => servers.postgres.start(),
  twin: {
    without: 'the wait for the disk: a commit is answered before it is written',
    prepare: async ({ sql }) => {
      await sql('ALTER DATABASE postgres SET synchronous_commit = off');
      // It holds for new sessions.
      await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'holdfast-drill'");
    },
    weaken: async ({ sql }) => {
      const [writer] = await sql<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
      if (!writer) throw new Error('nobody writes the log of Postgres');
      process.kill(writer.pid, 'SIGSTOP');
    },
  },
};

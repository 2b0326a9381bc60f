import { parseArgs } from 'node:util';
import { ledgerSchema } from '#libs/ledger/ledger.js';
import { MESH_DIRECTORY, readMeshFile } from '#libs/mesh/mesh-file.js';
import { migrate } from '#libs/postgres/migrate.js';

const HELP = `npm run migrate [-- OPTIONS]    brings the ledger's database to the schema of this tree

  --check    writes nothing: says what is pending, and which rows would stand in its way
  --help     this page

DATABASE_URL names the database, as its owner; without it that of the mesh which npm start runs. The exit code is 1
when rows stand in the way or anything else went wrong.
`;

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<void> {
  const options = { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
  const { check, help } = parseArgs({ args, options }).values;
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const url = process.env.DATABASE_URL || readMeshFile(MESH_DIRECTORY)?.infra.postgres.url;
  if (!url) throw new Error('DATABASE_URL is not set and no mesh runs: which database?');
  const { applied, pending } = await migrate({ url, ...ledgerSchema, check });
  if (check) console.log(pending.length === 0 ? 'nothing is pending' : `pending: ${pending.join(', ')}`);
  else console.log(applied.length === 0 ? 'nothing was to be done' : `applied: ${applied.join(', ')}`);
}

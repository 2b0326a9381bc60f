import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LIMITS_FILE } from '#libs/mesh/limits-file.js';
import { MESH_DIRECTORY } from '#libs/mesh/mesh-file.js';

/** What `npm run calibrate -- --help` prints. */
export const CALIBRATE_HELP = `npm run calibrate [-- OPTIONS]    measures this machine and writes the limits that fit it

  --sales FILE   the sales to come, as JSON or CSV; without, the sample stores of npm start
  --out FILE     where the limits go (.holdfast/limits.json, which npm start reads)
  --quick        fewer and shorter runs: under 25 s in place of under 60 s
  --apply        sets the limits of skus too, through the gateway of the mesh that runs here
  --json         one JSON document on stdout, and nothing else
  --check FILE   measures nothing; starts a mesh with that file and sends it what is predicted there for ten
                 seconds. Exit code 1 when it does not hold
  --help         this page

It starts a mesh of its own in a temporary folder of .holdfast/ and takes it away again; what runs on this machine is
left alone, but should do nothing meanwhile. Measured are, a second: how many claims the ledger admits, how many the
order service takes off the stream, and how many reservations the whole path answers. From that follow the settings of
services, and from what a sale has and who comes for it how many requests a second its sku is let. docs/limits.md says
why.

A file of sales, as CSV; the last column may be left out, it is 10:

  store,sku,units,crowd,over_seconds,target_seconds
  kiln,kiln-mug,200,1000,5,10

or as JSON: [{"store":"kiln","sku":"kiln-mug","units":200,"crowd":1000,"over_seconds":5}]
It says: 1000 people come for 200 units within 5 s; they shall be sold within 10 s.

Examples:
  npm run calibrate -- --quick
  npm run calibrate -- --sales spring.csv --apply
  npm run calibrate -- --check .holdfast/limits.json
`;

export interface CalibrateOptions {
  /** Path of a file of sales; absent: the sample stores. */
  sales?: string;
  out: string;
  quick: boolean;
  apply: boolean;
  json: boolean;
  /** Path of a limits file to hold a mesh against, in place of measuring. */
  check?: string;
}

/** What the command line asks for; undefined when it is help. Throws with what is wrong. */
export function readOptions(args: string[]): CalibrateOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      sales: { type: 'string' },
      out: { type: 'string', default: join(MESH_DIRECTORY, LIMITS_FILE) },
      quick: { type: 'boolean', default: false },
      apply: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  if (values.check !== undefined && (values.apply || values.sales !== undefined)) {
    throw new Error('--check measures nothing: leave out --apply and --sales');
  }
  const { out, quick, apply, json } = values;
  return {
    out,
    quick,
    apply,
    json,
    ...(values.sales !== undefined && { sales: values.sales }),
    ...(values.check !== undefined && { check: values.check }),
  };
}

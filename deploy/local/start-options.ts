import { parseArgs } from 'node:util';
import { type DispensableServer, parseScale, parseWithout, type Scale } from './topology.js';

/** What `npm start -- --help` prints. */
export const START_HELP = `npm start [-- OPTIONS]    runs all of Holdfast on this machine, until Ctrl-C

  --scale gateway=2,inventory=3,order=2,scheduler=2
                          several processes of a service, with the work spread over them
  --without redis,nats    leaves Redis or NATS or both out; orders go round them. docs/choosing.md says which to take
  --http-port PORT        the port of the HTTP edge (8080, or a free one when that is taken)
  --page                  also serves the example page, examples/page, which books through the HTTP edge in a browser
  --fresh                 forgets what earlier starts have sold
  --limits FILE           sets services up by that file, instead of .holdfast/limits.json where there is one;
                          npm run calibrate makes it
  --no-rush               leaves out the crowd that fights for a sample slot at the start
  --help                  this page

Postgres, Redis and NATS are found on this machine, or installed, and run privately with their data in .holdfast/.
DATABASE_URL, REDIS_URL and NATS_URL name servers of yours to be used instead. Everything that services log is in
.holdfast/logs/, warnings are shown here too. .holdfast/mesh.json says where every process listens.

While it runs, in another terminal:
  npm run rush -- --help  crowds to send in
`;

export interface StartOptions {
  scale: Scale;
  without: DispensableServer[];
  httpPort?: number;
  /** Path of a limits file. */
  limits?: string;
  /** Whether the example page is served, too. */
  page: boolean;
  fresh: boolean;
  rush: boolean;
}

const PORT_MAX = 65_535;

/** What the command line asks for; undefined when it is help. Throws with what is wrong. */
export function readOptions(args: string[]): StartOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      scale: { type: 'string', default: '' },
      without: { type: 'string', default: '' },
      'http-port': { type: 'string' },
      limits: { type: 'string' },
      page: { type: 'boolean', default: false },
      fresh: { type: 'boolean', default: false },
      'no-rush': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const port = values['http-port'];
  return {
    scale: parseScale(values.scale),
    without: parseWithout(values.without),
    ...(port === undefined ? {} : { httpPort: portOf(port) }),
    ...(values.limits === undefined ? {} : { limits: values.limits }),
    page: values.page,
    fresh: values.fresh,
    rush: !values['no-rush'],
  };
}

function portOf(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= PORT_MAX)) throw new Error(`--http-port: ${text} is no port from 1 to ${PORT_MAX}`);
  return port;
}

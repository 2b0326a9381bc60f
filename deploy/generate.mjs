// npm run generate: the code of libs/contracts/gen from the contracts in proto/.
import { ensureInstalled, runTool } from './toolchain.mjs';

await ensureInstalled();
const steps = [['lint'], ['format', '-w', '--exclude-path', 'proto/google'], ['generate']];
process.exitCode = steps.some((step) => runTool('buf', step).code !== 0) ? 1 : 0;

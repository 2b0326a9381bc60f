import { Command } from 'commander';
import { addAlertCommands } from './adapters/alerts/alert-commands.js';
import { addDeadLetterCommands } from './adapters/dead-letters/dead-letter-commands.js';
import { addJobCommands } from './adapters/jobs/job-commands.js';
import { addLimitsCommands } from './adapters/limits/limits-commands.js';
import { addStatusCommand } from './adapters/mesh/status-command.js';
import { addMoneyCommands } from './adapters/money/money-commands.js';
import { addOrderCommands } from './adapters/orders/order-commands.js';
import { addProveCommand } from './adapters/reconcile/prove-command.js';
import { addReconcileCommands } from './adapters/reconcile/reconcile-commands.js';
import { addReleasesCommand } from './adapters/releases/releases-command.js';
import type { Session } from './adapters/session.js';
import { addImportCommand } from './adapters/skus/import-command.js';
import { addOverbookedCommand } from './adapters/skus/overbooked-command.js';
import { addSkuCommands } from './adapters/skus/sku-commands.js';
import { addExplainCommands } from './adapters/stories/explain-commands.js';
import { addSwitchCommands } from './adapters/switches/switch-commands.js';
import { addTokenCommand } from './adapters/tokens/token-command.js';
import { addWaitlistCommands } from './adapters/waitlist/waitlist-commands.js';
import { addWebhookCommands } from './adapters/webhooks/webhook-commands.js';

const epilogue = `
At 10:00:01 on a Monday:
  holdfast status --watch                                               is everything up, and which way do orders go
  holdfast switch set postgres --for 10m --reason "Redis is slow"       round the gate, and back by itself
  holdfast sku pause SKU --reason "the price is wrong"                  stop one sale; what was bought stays

Run it in the clone of Holdfast: npx --no-install holdfast …, or npm run holdfast -- …. Elsewhere npx asks the public
registry for a package of that name, which is not this one.

The gateway is the one named with --gateway, else with HOLDFAST_GATEWAY, else that of the mesh which npm start runs on
this machine, else 127.0.0.1:7011. Who you are your token says: --token-file FILE, else HOLDFAST_TOKEN. For the mesh
on this machine one is issued by itself, to --as NAME, else HOLDFAST_OPERATOR, else who is logged in. The history keeps
the name beside the reason.

Exit codes: 0 done; 1 the gateway said no, or a proof failed; 2 the command is not right, and nothing was sent; 3 no
gateway answered, or a part behind it is away.`;

interface GivenToAll {
  gateway?: string;
  as?: string;
  tokenFile?: string;
  json?: boolean;
}

/** All commands over one session. */
export function programOf(session: Session): Command {
  const program = new Command('holdfast')
    .description("The operators' commands of Holdfast: see and set how it sells.")
    .option('--gateway <host:port>', 'the gateway to ask')
    .option('--as <name>', 'who you are, for the mesh on this machine')
    .option('--token-file <file>', 'your token, from elsewhere')
    .option('--json', 'one JSON document on stdout, errors as JSON on stderr')
    .addHelpText('after', epilogue)
    // Groups and their commands take the options of all, wherever they stand.
    .hook('preAction', (_program, command) => {
      const { gateway, as, tokenFile, json } = command.optsWithGlobals<GivenToAll>();
      session.given = { gateway, as, tokenFile };
      session.screen.json = json ?? false;
    });
  program.commandsGroup('How it is:');
  addStatusCommand(program, session);
  addAlertCommands(program, session);
  addReleasesCommand(program, session);
  program.commandsGroup('How it sells:');
  addSwitchCommands(program, session);
  addLimitsCommands(program, session);
  addSku(program, session);
  addOverbookedCommand(program, session);
  addWaitlistCommands(program, session);
  program.commandsGroup('What happened, and repairs:');
  addProveCommand(program, session);
  addExplainCommands(program, session);
  addReconcileCommands(program, session);
  addDeadLetterCommands(program, session);
  addMoneyCommands(program, session);
  addOrderCommands(program, session);
  addJobCommands(program, session);
  addWebhookCommands(program, session);
  program.commandsGroup('More:');
  addTokenCommand(program, session);
  return program.helpCommand('help [command]', 'this, or the help of a command');
}

function addSku(program: Command, session: Session): void {
  const sku = program.command('sku').description('what is sold: terms, units, pause, capacity, cancelling, import');
  addSkuCommands(sku, session);
  addImportCommand(sku, session);
}

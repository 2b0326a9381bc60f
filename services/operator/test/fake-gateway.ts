import { AlertServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/alert_service.js';
import { ControlServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/control_service.js';
import { DeadLetterServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/dead_letter_service.js';
import { ExplainServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/explain_service.js';
import { MoneyServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/money_service.js';
import { OrderDeskServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/order_desk_service.js';
import { ReconcileServiceDefinition } from '#libs/contracts/gen/holdfast/control/v1/reconcile_service.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { SchedulerServiceDefinition } from '#libs/contracts/gen/holdfast/scheduler/v1/scheduler_service.js';
import { WaitlistServiceDefinition } from '#libs/contracts/gen/holdfast/waitlist/v1/waitlist_service.js';
import { WebhookServiceDefinition } from '#libs/contracts/gen/holdfast/webhook/v1/webhook_service.js';
import { Fault } from '#libs/refusal/fault.js';
import { partOf, type RequestOf, type ResponseOf, type ServiceDefinition } from '#libs/rpc/definition.js';
import { startServer } from '#libs/rpc/server.js';
import { type Handlers, implement, type ServiceImplementation, type UnaryHandler } from '#libs/rpc/service.js';
import { createLogger } from '#libs/runtime/logger.js';
import { authorize } from './mesh-here.js';

const services = [
  ControlServiceDefinition,
  ReconcileServiceDefinition,
  AlertServiceDefinition,
  DeadLetterServiceDefinition,
  ExplainServiceDefinition,
  MoneyServiceDefinition,
  OrderDeskServiceDefinition,
  SchedulerServiceDefinition,
  WebhookServiceDefinition,
  partOf(WaitlistServiceDefinition, ['listWaitlist', 'pauseWaitlist', 'resumeWaitlist']),
  partOf(ReservationServiceDefinition, ['getSku', 'listSkus', 'moveOrder']),
] as const;

type MethodsOf<Definition> = Definition extends { methods: infer Methods } ? Methods : never;
type Methods = UnionToIntersection<MethodsOf<(typeof services)[number]>>;
type UnionToIntersection<Union> = (Union extends unknown ? (of: Union) => void : never) extends (of: infer All) => void
  ? All
  : never;

/** What the gateway does when it is asked: answer, answer by the request, or reject with a Fault. */
export type Script = {
  -readonly [Name in keyof Methods]?:
    | Fault
    | ResponseOf<Methods[Name]>
    | ((request: RequestOf<Methods[Name]>) => ResponseOf<Methods[Name]>);
};

/** One call as it came in. */
export interface Asked {
  method: string;
  // Tests know what they have asked.
  request: Record<string, unknown>;
  role: string | undefined;
  user: string | undefined;
}

/** A gateway that answers by a script, and remembers what it was asked. */
export interface FakeGateway {
  address: string;
  /** Replace it, or single answers, at any time. What has none is UNAVAILABLE. */
  script: Script;
  asked: Asked[];
  /** The requests for one method. */
  requests<Name extends keyof Methods>(method: Name): RequestOf<Methods[Name]>[];
  close(): Promise<void>;
}

export async function startFakeGateway(): Promise<FakeGateway> {
  const fake: FakeGateway = {
    address: '',
    script: {},
    asked: [],
    requests: <Name extends keyof Methods>(method: Name) =>
      fake.asked.filter((call) => call.method === method).map(({ request }) => request as RequestOf<Methods[Name]>),
    close: () => server.drain(),
  };
  const server = await startServer({
    address: '127.0.0.1:0',
    services: services.map((definition) => scripted(definition, fake)),
    authorize,
    logger: createLogger('fake', 'silent'),
    reflection: false,
    drainMs: 50,
  });
  fake.address = server.address;
  return fake;
}

function scripted<Definition extends ServiceDefinition>(
  definition: Definition,
  fake: FakeGateway,
): ServiceImplementation {
  const handlers = Object.keys(definition.methods).map((method): [string, UnaryHandler<unknown, unknown>] => [
    method,
    async (request, call) => {
      const { role, userId: user } = call.principal ?? {};
      fake.asked.push({ method, request: request as Asked['request'], role, user });
      const answer: unknown = fake.script[method as keyof Script];
      if (answer === undefined) throw new Fault('UNAVAILABLE', `nobody has scripted ${method}`);
      if (answer instanceof Fault) throw answer;
      return typeof answer === 'function' ? answer(request) : answer;
    },
  ]);
  // The names are those of the contract, the shapes those of the script.
  return implement(definition, Object.fromEntries(handlers) as Handlers<Definition>);
}

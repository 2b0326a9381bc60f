/** Who may call a method. NOBODY: also callers who do not say who they are. */
export type Permitted = 'NOBODY' | 'USER' | 'STAFF' | 'SERVICE' | 'OPERATOR';

const everybody = ['NOBODY', 'USER', 'STAFF', 'SERVICE', 'OPERATOR'] as const;
/** A user's own affairs; a service acts for the user it names. */
const users = ['USER', 'SERVICE'] as const;
/** Orders: a user's own, those of the stores of staff, and all for operators. */
const ordersOf = ['USER', 'STAFF', 'SERVICE', 'OPERATOR'] as const;
/** Of the stores that staff work for; the services that own it know which those are. */
const desks = ['STAFF', 'OPERATOR'] as const;
const reservers = ['USER', 'STAFF', 'SERVICE'] as const;
const services = ['SERVICE'] as const;
const operators = ['OPERATOR'] as const;

/** Every method that the gateway serves, and who may call it. What is not here, nobody may. */
export const permissions: Readonly<Record<string, readonly Permitted[]>> = {
  ...methodsOf('holdfast.reservation.v1.ReservationService', {
    Reserve: reservers,
    // Its items name their users.
    ReserveStream: services,
    WatchPlace: users,
    CreateRequestId: reservers,
    GetOrder: ordersOf,
    ListOrders: ordersOf,
    CancelOrder: ordersOf,
    CancelOrderLines: ordersOf,
    MoveOrder: ordersOf,
    ExtendHold: ['USER', 'SERVICE', 'OPERATOR'],
    StartPayment: users,
    WatchOrder: ordersOf,
    // The word of a payment provider, whose notices a front-end has checked.
    ConfirmPayment: services,
    GetAvailability: everybody,
    GetSku: everybody,
    ListSkus: everybody,
  }),
  ...methodsOf('holdfast.reservation.v1.PaymentService', { FailPayment: services, RecordRefund: services }),
  ...methodsOf('holdfast.waitlist.v1.WaitlistService', {
    GetWaitlistEntry: users,
    WatchWaitlist: users,
    LeaveWaitlist: users,
    AcceptOffer: users,
    ListWaitlist: operators,
    PauseWaitlist: operators,
    ResumeWaitlist: operators,
    PromoteWaiters: operators,
    EndWaitlists: operators,
  }),
  ...methodsOf('holdfast.control.v1.ControlService', {
    ListLimits: operators,
    SetLimits: operators,
    GetControl: operators,
    SetStockPath: operators,
    SetOrderPath: operators,
    ListControlChanges: operators,
    PauseSku: operators,
    ResumeSku: operators,
    CancelSku: operators,
    ListOverbookedOrders: operators,
    SetCapacity: operators,
    ImportSkus: operators,
    ListReleases: operators,
    GetMeshStatus: operators,
  }),
  ...methodsOf('holdfast.control.v1.ReconcileService', {
    PlanReconcile: operators,
    ApplyReconcile: operators,
    ListPlans: operators,
    GetPlan: operators,
    ProveSku: operators,
  }),
  ...methodsOf('holdfast.control.v1.AlertService', {
    ListAlerts: operators,
    ClearAlert: operators,
    CheckAlerts: operators,
  }),
  ...methodsOf('holdfast.control.v1.DeadLetterService', {
    ListDeadLetters: operators,
    GetDeadLetter: operators,
    ReplayDeadLetter: operators,
    DiscardDeadLetter: operators,
  }),
  ...methodsOf('holdfast.control.v1.ExplainService', {
    ExplainOrder: operators,
    ExplainUser: operators,
    ExplainRequest: operators,
  }),
  ...methodsOf('holdfast.control.v1.MoneyService', {
    ListMoneyIssues: operators,
    SettleMoney: operators,
    GetMoneyReport: operators,
  }),
  ...methodsOf('holdfast.control.v1.OrderDeskService', {
    FulfilOrder: operators,
    GetHoldStats: operators,
    ListMovements: operators,
  }),
  ...methodsOf('holdfast.scheduler.v1.SchedulerService', {
    ListJobs: operators,
    RunJob: operators,
    PauseJob: operators,
    ResumeJob: operators,
  }),
  ...methodsOf('holdfast.webhook.v1.WebhookService', {
    PutWebhookEndpoint: operators,
    ListWebhookEndpoints: desks,
    RotateWebhookSecret: operators,
    PauseWebhookEndpoint: operators,
    ResumeWebhookEndpoint: operators,
    DeleteWebhookEndpoint: operators,
    ListWebhookDeliveries: desks,
    ReplayWebhookDeliveries: desks,
    SendTestWebhook: operators,
  }),
  // Another gateway passes on the question of the operator who asks it.
  ...methodsOf('holdfast.status.v1.StatusService', { GetStatus: ['OPERATOR', 'SERVICE'] }),
};

/** Where staff act for a person whom they name. Services do so everywhere. */
const forPersons: ReadonlySet<string> = new Set([
  'holdfast.reservation.v1.ReservationService/Reserve',
  'holdfast.reservation.v1.ReservationService/CreateRequestId',
]);

/** Whether the role may call the method, named `package.Service/Method`. */
export function mayCall(role: Permitted, method: string): boolean {
  return Object.hasOwn(permissions, method) && permissions[method]?.includes(role) === true;
}

/** Whether the role may say there that it acts for another. */
export function mayActForOthers(role: Permitted, method: string): boolean {
  return role === 'SERVICE' || (role === 'STAFF' && forPersons.has(method));
}

function methodsOf(service: string, methods: Record<string, readonly Permitted[]>): typeof permissions {
  return Object.fromEntries(Object.entries(methods).map(([name, who]) => [`${service}/${name}`, who]));
}

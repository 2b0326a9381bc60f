import type { FaultReason } from '../fault.js';
import type { ReasonText } from './reason-text.js';

/** Of a request that changes nothing, nothing can have happened. */
const isRead = 'is_read';
const nothingRead = '系统的某个部分没有响应，请重试。';
const unknownOutcome = '结果尚不确定。使用相同的键再次发送相同的请求，不会重复计算。';

/** Faults. Ids of requests are called Idempotency-Key over HTTP and request_id over gRPC. */
export const faultsZhCn: Readonly<Record<FaultReason, ReasonText>> = {
  INVALID_REQUEST: {
    title: '请求无效',
    detail: [
      { if: 'more', say: '请求中有多处错误：{first}，另有 {more} 处。' },
      '请求有误：{first}。',
      '请求的内容不符合要求。',
    ],
    next: '请按 errors（gRPC 为 BadRequest）逐项更正后重新发送。',
  },
  REQUEST_ID_REUSED: {
    title: '请求编号已用于其他请求',
    detail: ['该请求编号已用于另一个请求，新的请求需要新的编号。'],
    next: '每个新的请求都请生成新的编号；只有重发相同的请求时才沿用原编号。',
  },
  REQUEST_ID_NOT_ISSUED: {
    title: '本店只接受为该用户和商品签发的请求编号',
    detail: ['该请求编号不是为此用户和商品签发的，或已过期。请重新申请。'],
    next: '请为该商品申请编号，并用它发送请求。',
  },
  REQUEST_IDS_NOT_ISSUED: {
    title: '此处不签发请求编号',
    detail: ['此处不签发请求编号，请自行生成。'],
    next: '请自行生成编号，例如 UUID。',
  },
  REQUEST_IN_PROGRESS: {
    title: '相同编号的请求正在处理',
    detail: ['该请求的另一次发送正在处理中。'],
    next: '请按提示的时间等待后重发相同的请求，会得到相同的结果。',
  },
  CURRENCY_MIXED: {
    title: '订单中有多种货币',
    detail: ['一笔订单的所有项目必须使用同一种货币。'],
    next: '请按货币分别下单。',
  },
  TOKEN_MISSING: {
    title: '请求未表明身份',
    detail: ['请求未表明身份，请使用 Authorization: Bearer TOKEN。'],
    next: '请先登录，并在每个请求中附上令牌。',
  },
  TOKEN_EXPIRED: {
    title: '登录已过期',
    detail: ['令牌已过期。'],
    next: '请获取新的令牌，再发送相同的请求。',
  },
  TOKEN_INVALID: {
    title: '令牌无效',
    detail: ['令牌无效，请重新登录。'],
    next: '请向本系统信任的签发方获取令牌；problem 说明了问题所在。',
  },
  NOTICE_NOT_BELIEVED: {
    title: '通知的签名无效',
    detail: ['通知的签名无效（{why}）。', '通知的签名无效。'],
    next: '请按 Standard Webhooks 的要求，用当前有效的密钥在发送时签名。',
  },
  PERMISSION_DENIED: {
    title: '没有权限',
    detail: ['您没有权限进行此操作。'],
    next: '请使用具有相应角色的账户。',
  },
  METHOD_UNKNOWN: {
    title: '方法不存在',
    detail: ['服务器没有方法 {method}。', '服务器没有该方法。'],
    next: '请对照接口约定检查名称，并确认地址属于所要调用的服务。',
  },
  ORDER_NOT_FOUND: {
    title: '订单不存在',
    detail: ['您没有编号为 {order_id} 的订单。', '您没有该订单。'],
    next: '请检查订单编号，并确认订单属于当前用户。',
  },
  PAYMENT_NOT_FOUND: {
    title: '付款不存在',
    detail: ['{provider} 没有编号为 {provider_payment_id} 的付款。', '没有该笔付款。'],
    next: '请检查付款编号和支付渠道。',
  },
  SKU_NOT_FOUND: {
    title: '商品不存在',
    detail: ['没有编号为 {sku_id} 的商品。', '没有该商品。'],
    next: '请从商店的列表中获取商品编号。',
  },
  WAITLIST_ENTRY_NOT_FOUND: {
    title: '候补记录不存在',
    detail: ['您没有编号为 {entry_id} 的候补记录。', '您没有该候补记录。'],
    next: '请检查候补编号，并确认候补属于当前用户。',
  },
  JOB_NOT_FOUND: {
    title: '任务不存在',
    detail: ['没有名为 {job} 的任务。', '没有该任务。'],
    next: '请查看任务列表。',
  },
  PLAN_NOT_FOUND: {
    title: '方案不存在',
    detail: ['没有编号为 {plan_id} 的方案。', '没有该方案。'],
    next: '请重新生成方案。',
  },
  ALERT_NOT_FOUND: {
    title: '告警不存在',
    detail: ['没有编号为 {alert_id} 的告警。', '没有该告警。'],
    next: '请查看告警列表。',
  },
  WEBHOOK_ENDPOINT_NOT_FOUND: {
    title: '回调地址不存在',
    detail: ['本店没有编号为 {endpoint_id} 的回调地址。', '本店没有该回调地址。'],
    next: '请查看本店的回调地址列表。',
  },
  DEAD_LETTER_NOT_FOUND: {
    title: '死信不存在',
    detail: ['没有编号为 {dead_letter_id} 的死信。', '没有该死信。'],
    next: '请查看死信列表。',
  },
  WEBHOOK_ENDPOINTS_FULL: {
    title: '回调地址已达上限',
    detail: ['本店的回调地址数量已达上限。'],
    next: '请删除不需要的回调地址后，再发送相同的请求。',
  },
  SKU_EXISTS: {
    title: '商品已存在，且内容不同',
    detail: ['商品 {sku_id} 已存在，且内容不同。', '该商品已存在，且内容不同。'],
    next: '请先读取该商品：如需修改，请附上读到的 etag；否则请换用其他编号。',
  },
  SWITCH_CHANGED: {
    title: '开关在读取后已被更改',
    detail: ['开关目前的版本是 {version}。', '开关在读取后已被更改。'],
    next: '请重新读取开关，再次确认，并附上读到的版本。',
  },
  RECONCILE_UNDER_WAY: {
    title: '另一次核对正在进行',
    detail: ['另一次核对正在进行。'],
    next: '请按提示的时间等待后重试。',
  },
  PLAN_STALE: {
    title: '情况已与方案生成时不同',
    detail: ['方案 {plan_id} 已过时，或情况已发生变化。', '情况已与方案生成时不同。'],
    next: '请重新生成方案，查看后再执行。',
  },
  DEAD_LETTER_RESOLVED: {
    title: '该死信已处理',
    detail: ['该死信已处理（{resolution}）。', '该死信已处理。'],
    next: '无需再做任何操作。',
  },
  ETAG_MISMATCH: {
    title: '内容在读取后已被更改',
    detail: ['内容在读取后已被更改。'],
    next: '请重新读取，再次确认，并附上读到的 etag。',
  },
  ORDER_PENDING: {
    title: '订单尚未确定',
    detail: ['订单 {order_id} 尚未确定。', '订单尚未确定。'],
    next: '请按提示的时间等待后重发相同的请求，或关注订单的变化。',
  },
  ORDER_STATE: {
    title: '当前状态不允许此操作',
    detail: ['当前状态（{state}）不允许此操作。', '当前状态不允许此操作。'],
    next: '请读取订单，只提供其状态允许的操作。',
  },
  CANCEL_TOO_LATE: {
    title: '已过取消期限',
    detail: ['订单 {order_id} 已过取消期限。', '已过取消期限。'],
    next: '请提示用户联系商家。',
  },
  PAYMENTS_NOT_OFFERED: {
    title: '未开通在线支付',
    detail: ['此处未开通在线支付。'],
    next: '请使用其他付款方式；系统管理员可以开通支付渠道。',
  },
  CAPACITY_BELOW_TAKEN: {
    title: '已占用的数量超过该容量',
    detail: ['已占用的数量超过该容量。'],
    next: '请设置不低于已占用数量的容量，或先取消一部分。',
  },
  RATE_LIMITED: {
    title: '请求过于频繁',
    detail: ['请求过于频繁，请稍后重试。'],
    next: '请按提示的时间等待，再用相同的键发送相同的请求。尚未作出任何决定，这不是拒绝。',
  },
  BUSY: {
    title: '系统繁忙',
    detail: [{ if: isRead, say: nothingRead }, '等待处理的请求过多。使用相同的键再次发送相同的请求，不会重复计算。'],
    next: '请按提示的时间等待，逐次延长间隔，再用相同的键发送相同的请求。',
  },
  TOO_LATE: {
    title: '请求超时',
    detail: [{ if: isRead, say: nothingRead }, unknownOutcome],
    next: '请用相同的键重发相同的请求，直到得到结果；不会重复计算。',
  },
  CANCELLED: {
    title: '请求已被放弃',
    detail: ['请求在得到结果之前已被放弃。使用相同的键再次发送相同的请求，不会重复计算。'],
    next: '如仍需要结果，请用相同的键重发相同的请求。',
  },
  UNAVAILABLE: {
    title: '服务暂时不可用',
    detail: [{ if: isRead, say: nothingRead }, unknownOutcome],
    next: '请按提示的时间等待，逐次延长间隔，再用相同的键发送相同的请求；不会重复计算。',
  },
  INTERNAL: {
    title: '系统内部错误',
    detail: ['错误已记录在 fault_id 下。'],
    next: '请用相同的键再发送一次相同的请求；如仍失败，请将 fault_id 告知系统管理员。',
  },
};

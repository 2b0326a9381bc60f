import type { HttpReason } from '../catalogue.js';
import type { RefusalReason } from '../refusal.js';
import type { ReasonText } from './reason-text.js';

/** The answer is stored under its key: whoever comes back with the same one is told it again, whatever is free by then. */
const staysWithKey = '此结果与本次的 Idempotency-Key 绑定，再次尝试请换用新的键。';

/** Refusals, and what only HTTP can get wrong. */
export const refusalsZhCn: Readonly<Record<RefusalReason | HttpReason, ReasonText>> = {
  NOT_ENOUGH: {
    title: '余量不足',
    detail: [`{sku_id} 仅剩 {free} 份。${staysWithKey}`, `余量不足。${staysWithKey}`],
    next: '可按剩余数量重新下单，并使用新的键。',
  },
  ALL_HELD: {
    title: '已全部被占用',
    detail: [
      `{sku_id} 目前没有余量，但其他人占用的名额可能会释放。${staysWithKey}`,
      `目前没有余量，但其他人占用的名额可能会释放。${staysWithKey}`,
    ],
    next: '请在 next_release_at 之后换用新的键重试，或加入候补。',
  },
  SOLD_OUT: {
    title: '已售罄',
    detail: [`{sku_id} 已售罄。${staysWithKey}`, `已售罄。${staysWithKey}`],
    next: '请选择其他商品；如开放候补，也可加入候补。',
  },
  NOT_ON_SALE: {
    title: '不在销售时间内',
    detail: [
      { if: 'opens_at', say: '{sku_id} 尚未开售；开售后使用相同的 Idempotency-Key 即可下单。' },
      { if: 'slot_past', say: '{sku_id} 的场次已经开始。' },
      '{sku_id} 的销售已结束。',
      '目前不在销售时间内。',
    ],
    next: '如有 opens_at，请展示开售时间，届时发送相同的请求即可；否则请选择其他商品。',
  },
  LIMIT_REACHED: {
    title: '已达到限购数量',
    detail: [
      { if: 'scope=STORE', say: `每人在本店最多购买 {limit} 份。${staysWithKey}` },
      { if: 'scope=GROUP', say: `{sku_id} 所在的组合每人最多购买 {limit} 份。${staysWithKey}` },
      { if: 'scope=OPEN_ORDERS', say: `每人在本店最多保留 {limit} 笔未付款订单。${staysWithKey}` },
      { if: 'scope=UNFULFILLED', say: `每人在本店最多保留 {limit} 笔未使用的订单。${staysWithKey}` },
      `{sku_id} 每人最多购买 {limit} 份。${staysWithKey}`,
      `您不能购买更多。${staysWithKey}`,
    ],
    next: '请展示已计入限额的订单（own_order_id）。按 scope 的说明付款、使用或退还其中一笔后，可换用新的键重试。',
  },
  MAX_PER_ORDER: {
    title: '单笔订单数量过多',
    detail: ['{sku_id} 每笔订单最多 {limit} 份。', '单笔订单不能购买这么多。'],
    next: '请减少单笔订单的数量，并使用新的键。',
  },
  PAUSED: {
    title: '暂停销售',
    detail: [`{sku_id} 已暂停销售。${staysWithKey}`, `销售已暂停。${staysWithKey}`],
    next: '请在恢复销售后换用新的键重试。',
  },
  UNPROCESSABLE: {
    title: '订单无法处理',
    detail: ['订单已转交工作人员处理，没有占用任何名额。'],
    next: '请告知用户商家会处理，并提供 order_id。',
  },
  WAITLIST_FULL: {
    title: '候补已满',
    detail: [`{sku_id} 已售罄，候补名额也已满。${staysWithKey}`, `候补名额已满。${staysWithKey}`],
    next: '请选择其他商品，或稍后换用新的键重试。',
  },
  PRICE_DIFFERS: {
    title: '价格不同',
    detail: ['{sku_id} 的单价不同，订单保持不变。', '单价不同，订单保持不变。'],
    next: '只能改到单价相同的商品；否则请取消后重新预订。',
  },
  SALE_CANCELLED: {
    title: '销售已取消',
    detail: ['{sku_id} 已取消销售，已付款项将原路退回。', '已取消销售，已付款项将原路退回。'],
    next: '请选择其他商品。退款会自动办理，无需申请。',
  },
  ALREADY_BOOKED: {
    title: '您已预订',
    detail: ['您已预订 {sku_id}，每人最多 {limit} 份。', '您已预订过。'],
    next: '请展示用户已有的订单（own_order_id），不要重试。',
  },
  RESOURCE_NOT_FOUND: {
    title: '资源不存在',
    detail: ['该路径下没有任何资源。'],
    next: '请在 /openapi.json 中查找正确的路径。',
  },
  METHOD_NOT_ALLOWED: {
    title: '不支持该请求方法',
    detail: ['此处只能使用 {allow}。', '此处不支持该请求方法。'],
    next: '请使用 Allow 字段中列出的方法。',
  },
  BODY_TOO_LARGE: {
    title: '请求体过大',
    detail: ['请求体超过了允许的大小。'],
    next: '请减少单次发送的内容。',
  },
  PATH_TOO_LONG: {
    title: '路径过长',
    detail: ['路径中有一段超过了 id 允许的长度。'],
    next: '请检查路径中的 id，每个最多 128 个字符。',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    title: '不支持该内容类型',
    detail: ['请求体必须是 UTF-8 编码、未压缩的 JSON。'],
    next: '请使用 content-type: application/json，不要使用 content-encoding。',
  },
};

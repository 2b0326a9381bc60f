import type { Again } from './fault.js';
import type { Locale } from './localize.js';

/** Whether the same request may be sent again, in words. */
export const againTexts: Readonly<Record<Locale, Readonly<Record<Again, string>>>> = {
  en: {
    NEVER: 'No: the same request gets the same answer.',
    AFTER_DELAY:
      'Yes, with the same key, after the time that the answer names (Retry-After, RetryInfo). Nothing was decided.',
    OUTCOME_UNKNOWN: 'Yes, with the same key. The outcome is not known; the same request cannot count twice.',
    NEW_KEY: 'Only with a new key: this answer stays with its own.',
    AT_OPENING: 'Yes, with the same key, from opens_at on; without opens_at no.',
    AFTER_CHANGE: 'Yes, when what is wrong was put right.',
  },
  'zh-CN': {
    NEVER: '不可以：相同的请求会得到相同的结果。',
    AFTER_DELAY: '可以：按答复中的时间（Retry-After、RetryInfo）等待后，用相同的键重发。尚未作出任何决定。',
    OUTCOME_UNKNOWN: '可以：用相同的键重发。结果尚不确定，但相同的请求不会重复计算。',
    NEW_KEY: '只能换用新的键：此结果与原来的键绑定。',
    AT_OPENING: '可以：从 opens_at 起用相同的键重发；没有 opens_at 则不可以。',
    AFTER_CHANGE: '可以：更正问题之后。',
  },
};

import type { Locale } from './localize.js';

const keptMax = 500;
const headerMaxLength = 256;
const kept = new Map<string, Locale>();

/**
 * The language to answer in for a field Accept-Language (RFC 9110, with q-values) or the gRPC metadata of that name. English
 * for whoever asks for none, or for none that there is. Any Chinese is answered in Simplified Chinese.
 */
export function localeOf(acceptLanguage: string | undefined): Locale {
  if (acceptLanguage === undefined || acceptLanguage.length > headerMaxLength) return 'en';
  let locale = kept.get(acceptLanguage);
  if (locale === undefined) {
    locale = choose(acceptLanguage);
    if (kept.size >= keptMax) kept.clear();
    kept.set(acceptLanguage, locale);
  }
  return locale;
}

function choose(acceptLanguage: string): Locale {
  let best: { locale: Locale; q: number } = { locale: 'en', q: 0 };
  for (const range of acceptLanguage.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const locale = localeOfTag(tag);
    const q = quality(parameters);
    if (locale !== undefined && q > best.q) best = { locale, q };
  }
  return best.locale;
}

function localeOfTag(tag: string): Locale | undefined {
  const [language] = tag.split('-');
  if (language === 'en' || tag === '*') return 'en';
  return language === 'zh' ? 'zh-CN' : undefined;
}

/** 1 unless said otherwise; what is no quality counts for nothing. */
function quality(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

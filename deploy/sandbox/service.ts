import { startAdmin } from '#libs/runtime/admin.js';
import type { Lifecycle } from '#libs/runtime/lifecycle.js';
import { createMetrics } from '#libs/runtime/metrics.js';
import type { SandboxConfig } from './config.js';
import { createHttp } from './http.js';
import { NoticePost } from './notices.js';
import { Till } from './till.js';

/** Starts a payment provider that plays: no money moves. It serves when this resolves; `url` is its base URL. */
export async function startSandbox(
  config: SandboxConfig,
  life: Lifecycle,
): Promise<{ url: string; adminAddress: string }> {
  const { logger, closing } = life;
  const admin = await startAdmin({ address: config.adminAddress, life, metrics: createMetrics(), checks: {} });
  const notices = new NoticePost({
    url: config.noticeUrl,
    secret: config.noticeSecret,
    closing,
    failed: (notice, error) => logger.debug({ err: error, notice: notice.id }, 'a notice was not taken'),
  });
  life.closer('notices', () => notices.close());
  const till = new Till(() => new Date());
  const { key, thinkMs, checkoutUrl } = config;
  const app = createHttp({ till, notices, key, thinkMs, checkoutUrl });
  const { hostname: host, port } = new URL(`http://${config.httpAddress}`);
  const url = await app.listen({ host, port: Number(port) });
  life.closer('http', () => app.close());
  return { url, adminAddress: admin.address };
}

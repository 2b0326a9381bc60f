import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '#libs/servers/find-servers.js';

/** A Chromium of this machine without a window, for test files with `browser` in their name: npm test installs one for those. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('There is no Chromium: apt-get install chromium, or name one that is there in HOLDFAST_CHROMIUM');
  }
  return chromium.launch({ executablePath });
}

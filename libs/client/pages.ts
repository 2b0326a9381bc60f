/** The pages of a list, each asked for when it is read; an empty token is the only end. */
export async function* pagesOf<Page extends { nextPageToken: string }>(
  ask: (pageToken: string) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let pageToken = ''; ; ) {
    const page = await ask(pageToken);
    yield page;
    if (page.nextPageToken === '') return;
    pageToken = page.nextPageToken;
  }
}

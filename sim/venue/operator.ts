import { until } from './patience.ts'
import type { RoleVenue } from './role-venue.ts'

interface Status {
  readonly relayer: { readonly signers: readonly { readonly stoppedReason: string | null }[] }
}

/** What the runbook of a restored database says (docs/runbooks/restore.md). */
export async function healRestored(venue: RoleVenue): Promise<void> {
  await until(
    'the stop of the signers',
    () => statusOf(venue),
    async (status) =>
      status?.relayer.signers.some(({ stoppedReason }) => stoppedReason === 'database_behind_chain') ?? false,
  )
  await untilReady(venue)
  await until(
    'the resume',
    () => judgeAndResume(venue),
    async (refusal) => refusal === null,
  )
}

/** Why it is refused, to look again; null when sending goes on. */
async function judgeAndResume(venue: RoleVenue): Promise<string | null> {
  try {
    const list = await venue.command('intents', 'list')
    if (/^ {2}\d+ .*: to be judged$/m.test(list)) await venue.command('intents', 'discard', '--all')
    await venue.command('intents', 'resume')
    return null
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr ?? error)
  }
}

/** Waits until the api is ready: the head of the chain is indexed and everything answers. */
export const untilReady = (venue: RoleVenue): Promise<unknown> =>
  until(
    'readiness',
    async () => (await answerOf(venue, '/readyz'))?.status ?? null,
    async (status) => status === 200,
  )

async function statusOf(venue: RoleVenue): Promise<Status | null> {
  const answer = await answerOf(venue, '/status')
  return answer?.status === 200 ? ((await answer.json()) as Status) : null
}

const answerOf = (venue: RoleVenue, path: string): Promise<Response | null> =>
  fetch(new URL(path, venue.baseUrl), { signal: AbortSignal.timeout(10_000) }).catch(() => null)

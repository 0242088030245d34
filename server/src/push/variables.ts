import Type from 'typebox'
import { DEVELOPMENT_CHAIN } from '../chain/profiles.ts'
import { defineVariables, positive, type Values, type ValuesOf } from '../lib/variables.ts'

/** Where webhooks may point: https addresses of the public internet alone, anywhere, or nowhere. */
export type WebhookTargets = 'public' | 'any' | 'none'

export interface PushSettings {
  /** How long messages of the outbox are kept. */
  readonly outboxRetentionDays: number
  readonly webhookTargets: WebhookTargets
  /** Time of continuous failure after which a webhook is disabled. */
  readonly webhookGiveUpHours: number
}

/** What an operator sets of streams and webhooks, for every product. */
export const pushVariables = defineVariables({
  properties: {
    OUTBOX_RETENTION_DAYS: positive(
      7,
      3650,
      'days for which messages can be resumed from and replayed; more than WEBHOOK_GIVE_UP_HOURS',
    ),
    WEBHOOK_TARGETS: Type.Optional(
      Type.Union([Type.Literal('public'), Type.Literal('any'), Type.Literal('none')], {
        description: 'public (only https addresses of the public internet), any, or none (no webhook is told)',
      }),
    ),
    WEBHOOK_GIVE_UP_HOURS: positive(72, 24 * 3650, 'hours after which a webhook that keeps failing is disabled'),
  },
  problems: ({ OUTBOX_RETENTION_DAYS, WEBHOOK_GIVE_UP_HOURS }) =>
    Number(OUTBOX_RETENTION_DAYS) * 24 <= Number(WEBHOOK_GIVE_UP_HOURS)
      ? ['OUTBOX_RETENTION_DAYS must be longer than WEBHOOK_GIVE_UP_HOURS: a webhook needs what it has not had']
      : [],
})

/** Without WEBHOOK_TARGETS a development venue delivers anywhere, any other to the public internet alone. */
export function pushSettings(values: Values): PushSettings {
  const { OUTBOX_RETENTION_DAYS, WEBHOOK_TARGETS, WEBHOOK_GIVE_UP_HOURS } = values as ValuesOf<typeof pushVariables>
  return {
    outboxRetentionDays: OUTBOX_RETENTION_DAYS,
    webhookTargets: WEBHOOK_TARGETS ?? (values.CHAIN_ID === DEVELOPMENT_CHAIN ? 'any' : 'public'),
    webhookGiveUpHours: WEBHOOK_GIVE_UP_HOURS,
  }
}

import type { MasterKeys } from '../auth/secrets.ts'
import type { Service } from '../http/product.ts'
import { stockContext } from './context.ts'
import { runPublisher } from './streams/publish.ts'
import { runWebhooks, WEBHOOK_PACE } from './webhooks/deliver.ts'
import { WebhookSender, type WebhookTargets } from './webhooks/target.ts'

export interface StreamSettings {
  /** How long messages of the outbox are kept. */
  readonly outboxRetentionDays: number
  readonly webhookTargets: WebhookTargets
  /** A webhook that fails for so long is disabled. */
  readonly webhookGiveUpHours: number
}

export const DEFAULT_STREAM_SETTINGS: StreamSettings = {
  outboxRetentionDays: 7,
  webhookTargets: 'any',
  webhookGiveUpHours: 72,
}

/** What api processes do for stocks beside answering: publish changes to the outbox, and deliver them to webhooks. */
export const stockServices = (
  productType: string,
  masterKeys: MasterKeys,
  settings: StreamSettings,
): readonly Service[] => [
  {
    name: 'stock.publish',
    run: (venue, signal) => runPublisher(stockContext(venue, productType), settings.outboxRetentionDays, signal),
  },
  {
    name: 'stock.webhooks',
    async run(venue, signal) {
      const sender = new WebhookSender(settings.webhookTargets)
      const giveUpMs = settings.webhookGiveUpHours * 3_600_000
      await runWebhooks(venue, { ...WEBHOOK_PACE, masterKeys, sender, giveUpMs }, signal).finally(() => sender.close())
    },
  },
]

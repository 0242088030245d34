import type { MasterKeys } from '../auth/secrets.ts'
import type { Service, Venue } from '../http/product.ts'
import { runWebhooks, WEBHOOK_PACE } from './deliver.ts'
import { type Publication, runPublisher } from './publish.ts'
import type { PushSettings } from './variables.ts'
import { WebhookSender } from './webhook-target.ts'

/** Publishes a product's changes to the outbox. */
export const publishService = (
  product: string,
  open: (venue: Venue) => Publication,
  { outboxRetentionDays }: PushSettings,
): Service => ({
  name: `${product}.publish`,
  run: (venue, signal) => runPublisher(venue, open(venue), outboxRetentionDays, signal),
})

/**
 * Delivers what is in the outbox to the webhooks of all products. Nothing does where no webhook is to be told: a copy of the venue's
 * database has the same webhooks with their secrets, and their receivers could not tell the copy's events from the venue's.
 */
export const webhookServices = (masterKeys: MasterKeys, settings: PushSettings): readonly Service[] =>
  settings.webhookTargets === 'none' ? [] : [webhookService(masterKeys, settings)]

const webhookService = (masterKeys: MasterKeys, settings: PushSettings): Service => ({
  name: 'webhooks',
  async run(venue, signal) {
    const sender = new WebhookSender(settings.webhookTargets)
    const giveUpMs = settings.webhookGiveUpHours * 3_600_000
    await runWebhooks(venue, { ...WEBHOOK_PACE, masterKeys, sender, giveUpMs }, signal).finally(() => sender.close())
  },
})

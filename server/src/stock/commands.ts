import type { Command } from '../http/product.ts'
import { SPLITS_USAGE, splitCommand } from './keeper/split-commands.ts'

/** What an operator commands of stocks. */
export const stockCommands: readonly Command[] = [{ topic: 'splits', usage: SPLITS_USAGE, run: splitCommand }]

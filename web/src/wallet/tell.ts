import { shorten } from '../lib/format.ts'
import type { Message } from '../lib/message.ts'
import { walletWords } from '../strings.ts'
import { toast } from '../ui/toast.tsx'
import { address } from './connection.ts'

/** Tells what became of something that an account has begun: with its name once another one is chosen, whose own it is not. */
export const tellOf =
  (account: string | null) =>
  (kind: Message['kind'], text: string): void =>
    toast(kind, account === null || address.peek() === account ? text : walletWords.ofAccount(shorten(account), text))

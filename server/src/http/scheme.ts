import type { Access, Caller, WalletCaller } from './caller.ts'

/** A request as the signature sees it. */
export interface SignedRequest {
  readonly method: string
  /** Path and raw query as they arrived, without the product's prefix. */
  readonly uri: string
  /** As Node gives them: names lower-case, a repeated `x-` header joined with a comma, bytes as latin1 characters. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The exact bytes of the body; empty when there is none. */
  readonly rawBody: Buffer
  /** The client's address after trusted proxies, IPv4-mapped IPv6 normalised. */
  readonly clientIp: string
}

/**
 * How a product authenticates: it alone knows headers, what is signed and in which form (the body's raw bytes, or a canonical
 * form of them). Throws an `unauthenticated` AppError that never says which check failed.
 */
export interface Scheme {
  /** The API key that signed, at once where nothing need be waited for; `access` is what the operation asks of it. */
  authenticate(request: SignedRequest, access: Access): Caller | Promise<Caller>
  /** Throws where the key of a caller, who has been counted, may not do what the operation asks; whoever may not sign at all is no caller. */
  permit?(caller: Caller, access: Access): void
  /** Whether a request says that it comes from an API key, rightly or not; asked where anybody is served too. */
  isSigned?(request: SignedRequest): boolean
  /** An upgrade with the headers that its `Sec-WebSocket-Protocol` stands for: a browser can send no others. */
  upgrade?(request: SignedRequest): SignedRequest
  /**
   * The wallet that signed an operation of access `WALLET`; `body` has passed the operation's schema, and `isHere` says whether the
   * request comes from this machine.
   */
  authenticateWallet?(request: SignedRequest, body: unknown, isHere: boolean): Promise<Pick<WalletCaller, 'wallet'>>
  /**
   * In a scheme without nonces, what a write that was sent again shares with the first: it is answered with the first
   * one's answer and never carried out twice. Asked once the caller is known; null for what cannot come twice.
   */
  repetition?(request: SignedRequest): Repetition | null
}

/** What makes two writes of one API key the same. */
export interface Repetition {
  /** The same for every spelling of one signature. */
  readonly id: string
  /** For how long the scheme would accept it again: Unix milliseconds. */
  readonly untilMs: number
}

import type { Client, Socket } from './client.ts'

/** `waiting`: between a connection that ended and the next attempt. */
export type StreamStatus = 'connecting' | 'open' | 'waiting' | 'closed'

/** What a product's stream does with its connection. */
export interface LinkOptions {
  /** Where to connect, signed anew each time. */
  readonly connect: () => Promise<{ readonly url: string; readonly protocols: readonly string[] }>
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** Asks for a sign of life. */
  readonly ping: string
  /** Why there is no use in connecting again; null when there is. Asked after a connection that ended. */
  readonly ended: (code: number, wasOpen: boolean) => Promise<Error | null>
  readonly onStatus: (status: StreamStatus, error?: Error) => void
}

/** A connection that is made again whenever it ends. */
export interface Link {
  readonly isOpen: boolean
  /** Says nothing while there is no connection. */
  send(text: string): void
  /** Ends this connection, and makes another one. */
  restart(): void
  /** Does something after so many failures of it, later with each of them, unless this connection has ended by then. */
  again(failures: number, work: () => void): void
  close(): void
}

/** How often the venue is asked for a sign of life, and how many such times it may be silent. */
const PING_MS = 10_000
const SILENT_TIMES = 3
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

export function openLink(client: Client, options: LinkOptions): Link {
  const closing = new AbortController()
  let current: Session | null = null
  let failures = 0

  async function connectOnce(): Promise<Error | null> {
    options.onStatus('connecting')
    const { url, protocols } = await options.connect()
    if (closing.signal.aborted) return null
    const open = client.options.stream ?? ((to, named) => new WebSocket(to, [...named]) as Socket)
    const session = new Session(open(url, protocols), client, options)
    current = session
    const { code, wasOpen } = await session.ended
    current = null
    if (session.wasHeard) failures = 0
    return closing.signal.aborted ? null : options.ended(code, wasOpen)
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      // What cannot be asked, such as without a signer, will not be better later.
      const final = await connectOnce().catch((error) => (error instanceof TypeError ? error : null))
      if (final) return end(final)
      if (closing.signal.aborted) return
      options.onStatus('waiting')
      await client.clock.sleep(pauseMs(failures++), closing.signal).catch(() => {})
    }
  }

  function end(error?: Error): void {
    if (closing.signal.aborted) return
    closing.abort()
    current?.drop()
    options.onStatus('closed', error)
  }

  void run()
  return {
    get isOpen() {
      return current?.isOpen ?? false
    },
    send: (text) => current?.send(text),
    restart: () => current?.drop(),
    again: (times, work) => current?.later(pauseMs(times), work),
    close: () => end(),
  }
}

/** Longer after each failure, and not the same for everybody. */
function pauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)
}

/** One connection, from its opening to its end. */
class Session {
  readonly ended: Promise<{ readonly code: number; readonly wasOpen: boolean }>
  wasHeard = false
  isOpen = false
  readonly #socket: Socket
  readonly #client: Client
  readonly #watching = new AbortController()
  #silentTimes = 0
  #end: (code: number) => void = () => {}

  constructor(socket: Socket, client: Client, { onOpen, onText, onStatus, ping }: LinkOptions) {
    this.#socket = socket
    this.#client = client
    let wasOpen = false
    this.ended = new Promise((resolve) => {
      this.#end = (code) => {
        this.isOpen = false
        this.#watching.abort()
        resolve({ code, wasOpen })
      }
    })
    socket.onopen = () => {
      if (this.#watching.signal.aborted) return
      wasOpen = true
      this.isOpen = true
      this.#silentTimes = 0
      onStatus('open')
      onOpen()
    }
    socket.onmessage = ({ data }) => {
      if (this.#watching.signal.aborted) return
      this.wasHeard = true
      this.#silentTimes = 0
      onText(String(data))
    }
    socket.onclose = ({ code }) => this.#end(code)
    socket.onerror = () => {}
    void this.#watch(ping)
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text)
  }

  /** The other side may be gone without a word: its close is not waited for. */
  drop(): void {
    this.#end(1006)
    this.#socket.close()
  }

  later(ms: number, work: () => void): void {
    void this.#client.clock.sleep(ms, this.#watching.signal).then(work, () => {})
  }

  async #watch(ping: string): Promise<void> {
    const { signal } = this.#watching
    while (!signal.aborted) {
      await this.#client.clock.sleep(PING_MS, signal).catch(() => {})
      if (signal.aborted) return
      if (++this.#silentTimes >= SILENT_TIMES) return this.drop()
      this.send(ping)
    }
  }
}

/** The address of a WebSocket below a base URL. */
export function socketUrl(baseUrl: string, path: string): string {
  const url = new URL(baseUrl || '/', (globalThis as { location?: { href: string } }).location?.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = url.pathname.replace(/\/$/, '') + path
  return url.href
}

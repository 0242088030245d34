import type { Socket } from '../src/core/client.ts'

/** The venue's end of a connection that a test holds. */
export class FakeSocket implements Socket {
  onopen: Socket['onopen'] = null
  onmessage: Socket['onmessage'] = null
  onclose: Socket['onclose'] = null
  onerror: Socket['onerror'] = null
  readonly url: string
  readonly protocols: readonly string[]
  readonly sent: string[] = []
  isClosed = false

  constructor(url: string, protocols: readonly string[]) {
    this.url = url
    this.protocols = protocols
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    this.isClosed = true
  }

  open(): void {
    this.onopen?.(undefined as never)
  }

  tell(message: unknown): void {
    this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) })
  }

  end(code = 1006): void {
    this.onclose?.({ code, reason: '' })
  }
}

/** A clock whose waits end when the test says so, the shortest first. */
export class ManualClock {
  readonly waits: { readonly ms: number; readonly end: () => void }[] = []
  now = (): number => 1_700_000_000_000

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const wait = { ms, end: resolve }
      this.waits.push(wait)
      signal?.addEventListener('abort', () => {
        this.waits.splice(this.waits.indexOf(wait), 1)
        reject(signal.reason)
      })
    })

  /** Ends the wait that began first. */
  pass(): number {
    const wait = this.waits.shift()
    if (!wait) throw new Error('nothing waits')
    wait.end()
    return wait.ms
  }
}

/** Sockets in the order in which they were opened; the nth, once it is there. */
export function sockets() {
  const opened: FakeSocket[] = []
  const open = (url: string, protocols: readonly string[]): Socket => {
    const socket = new FakeSocket(url, protocols)
    opened.push(socket)
    return socket
  }
  return { opened, open }
}

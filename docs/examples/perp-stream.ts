// The perpetual stream for the examples: it connects again when the connection ends, and subscribes anew.

type Message = { readonly stream?: string; readonly id?: number; readonly result?: string; readonly data?: unknown }

const HEARTBEAT_MS = 15_000
const LONGEST_PAUSE_MS = 30_000

export class PerpStream {
  /** How often a connection was lost and made anew. */
  reconnects = 0
  /** Results of subscriptions that were no success. */
  readonly refusals: string[] = []
  readonly #url: string
  readonly #subscriptions: readonly object[]
  readonly #hear: (stream: string, data: unknown) => void
  /** After each connection: whatever was missed meanwhile has to be read anew. */
  readonly #connected: () => void
  #socket: WebSocket | undefined
  #closed = false
  #pauseMs = 1000
  #heardSincePing = true
  #heartbeat: NodeJS.Timeout | undefined

  constructor(
    url: string,
    subscriptions: readonly object[],
    hear: (stream: string, data: unknown) => void,
    connected: () => void,
  ) {
    this.#url = url
    this.#subscriptions = subscriptions
    this.#hear = hear
    this.#connected = connected
    this.#connect()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#heartbeat)
    this.#socket?.close()
  }

  /** Ends the connection as a network would, to see that it is made anew. */
  drop(): void {
    this.#socket?.close()
  }

  #connect(): void {
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    socket.onopen = () => {
      this.#pauseMs = 1000
      this.#heardSincePing = true
      this.#subscriptions.forEach((params, id) => {
        socket.send(JSON.stringify({ id, method: 'SUBSCRIBE', params }))
      })
      clearInterval(this.#heartbeat)
      this.#heartbeat = setInterval(() => this.#ping(socket), HEARTBEAT_MS)
      this.#connected()
    }
    socket.onmessage = ({ data }) => this.#read(String(data))
    socket.onclose = () => this.#again()
    socket.onerror = () => {} // its end follows
  }

  /** Silence for a whole heartbeat is a connection that has died without saying so. */
  #ping(socket: WebSocket): void {
    if (!this.#heardSincePing) socket.close()
    this.#heardSincePing = false
    if (socket.readyState === WebSocket.OPEN) socket.send('ping')
  }

  #read(text: string): void {
    this.#heardSincePing = true
    if (text === 'pong') return
    const { stream, result, data } = JSON.parse(text) as Message
    if (stream !== undefined) this.#hear(stream, data)
    else if (result !== undefined && result !== 'success') this.refusals.push(result)
  }

  #again(): void {
    clearInterval(this.#heartbeat)
    if (this.#closed) return
    this.reconnects++
    setTimeout(() => this.#closed || this.#connect(), this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

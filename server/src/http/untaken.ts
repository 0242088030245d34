import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Bytes of answers that one client may leave untaken, over all its connections. A client that reads does not come near: what is ready in an
 * instant is below 64 KiB (longer ones are prepared, which all answers share), and the 1,200 requests of an address's window are
 * 75 MiB of it; what is longer is read from the database one after another, while the client takes what came before.
 */
export const DEFAULT_UNTAKEN_LIMIT = 96 * 1024 * 1024

/** An answer that its client has not taken yet. */
interface Answer {
  readonly client: string
  readonly bytes: number
}

/**
 * Answers in memory that their clients have not taken. A timeout ends a connection of which nothing is read, and not one that is read
 * byte by byte: whoever lets more wait than a client may is cut off.
 */
export class UntakenAnswers {
  readonly #limit: number
  readonly #bytes = new Map<string, number>()
  readonly #waiting = new WeakMap<Socket, Set<Answer>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** To be told of each answer once it is written; `bytes` are those that are kept for it alone. */
  note(client: string, response: ServerResponse, bytes: number): void {
    // The system has it all already.
    if (response.socket?.writableLength === 0) return
    const { socket } = response.req
    if (socket.destroyed) return
    const waiting = this.#waitingOn(socket)
    const answer = { client, bytes }
    waiting.add(answer)
    this.#add(answer.client, bytes)
    response.once('finish', () => this.#taken(waiting, answer))
    if ((this.#bytes.get(client) ?? 0) > this.#limit) socket.destroy()
  }

  #waitingOn(socket: Socket): Set<Answer> {
    const known = this.#waiting.get(socket)
    if (known) return known
    const waiting = new Set<Answer>()
    this.#waiting.set(socket, waiting)
    // Those behind the answer that is being written are not told of the end.
    socket.once('close', () => {
      for (const answer of waiting) this.#taken(waiting, answer)
    })
    return waiting
  }

  #taken(waiting: Set<Answer>, answer: Answer): void {
    if (waiting.delete(answer)) this.#add(answer.client, -answer.bytes)
  }

  #add(client: string, bytes: number): void {
    const now = (this.#bytes.get(client) ?? 0) + bytes
    if (now === 0) this.#bytes.delete(client)
    else this.#bytes.set(client, now)
  }
}

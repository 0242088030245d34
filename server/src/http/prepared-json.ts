/** A payload that a handler keeps as JSON text, for answers that are asked for often and change seldom. */
export class PreparedJson {
  readonly text: string
  #byteLength = -1
  #bytes: Buffer | null = null

  constructor(data: unknown) {
    this.text = JSON.stringify(data)
  }

  /** How long it is as it is sent, counted when the first one asks. */
  get byteLength(): number {
    if (this.#byteLength < 0) this.#byteLength = Buffer.byteLength(this.text)
    return this.#byteLength
  }

  /** The text as it is sent, encoded when the first one asks. */
  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }

  /** A payload that is JSON text already. */
  static fromText(text: string): PreparedJson {
    return Object.assign(new PreparedJson(null), { text })
  }
}

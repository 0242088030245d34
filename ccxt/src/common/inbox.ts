/** What has come and was not yet taken. */
export class Inbox {
  readonly keep: number
  #items: unknown[] = []

  constructor(keep: number) {
    this.keep = keep
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  put(items: readonly unknown[]): void {
    this.#items.push(...items)
    this.#items.splice(0, Math.max(0, this.#items.length - this.keep))
  }

  /** Puts what was taken before everything that came meanwhile. */
  putBack(items: readonly unknown[]): void {
    const newer = this.take()
    this.put([...items, ...newer])
  }

  take(): unknown[] {
    const items = this.#items
    this.#items = []
    return items
  }
}

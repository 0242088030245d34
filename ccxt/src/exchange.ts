import { errorName, isOpenOutcome } from './common/errors.ts'
import { Inbox } from './common/inbox.ts'
import { exactJson } from './common/json.ts'
import type { Call, Ccxt, Channel, Params, Product, Raw, Venue } from './venue.ts'

/** What begins like this is an operation that `has` speaks of. */
const UNIFIED =
  /^(add|borrow|cancel|close|create|deposit|edit|fetch|reduce|repay|set|sign|transfer|unWatch|watch|withdraw)/

/** Names of ccxt's own emulations on top of an operation that a product has. */
const EMULATED: Readonly<Record<string, readonly string[]>> = {
  createOrder: ['createLimitOrder', 'createMarketOrder'],
  fetchOrderBook: ['fetchL2OrderBook'],
}

/** The class: ccxt's machinery, with a method for each operation of the product. */
export function exchangeOf(ccxt: Ccxt, product: Product): Ccxt['Exchange'] {
  class Bourse extends ccxt.Exchange {
    readonly ccxt = ccxt
    readonly product = product
    readonly sequences = new Map<string, number>()
    readonly #inboxes = new Map<string, Inbox>()
    readonly #refusals = new WeakSet<object>()
    #lastTime = 0

    override describe() {
      return this.deepExtend(super.describe(), product.description, {
        id: product.id,
        name: product.name,
        has: hasOf(super.describe().has, product),
        api: apiOf(product.calls),
      })
    }

    override parseJson(text: string) {
      try {
        return exactJson(text)
      } catch {
        return undefined
      }
    }

    /** Milliseconds by the venue's clock, as far as `timeDifference` knows it; never the same twice. */
    override nonce(): number {
      this.#lastTime = Math.max(this.milliseconds() - Number(this.options.timeDifference), this.#lastTime + 1)
      return this.#lastTime
    }

    override sign(path: string, api = 'public', method = 'GET', params: Params = {}, headers: Params = {}, body = '') {
      const target = `${product.prefix}${this.implodeParams(path, params)}`
      const rest = this.omit(params, this.extractParams(path)) as Params
      const hasBody = method === 'POST'
      const query = hasBody || this.isEmpty(rest) ? '' : `?${this.urlencode(this.keysort(rest))}`
      const text = hasBody ? this.json(rest) : body
      const type = hasBody ? { 'Content-Type': 'application/json' } : {}
      return {
        url: this.#baseUrl() + target + query,
        method,
        body: hasBody ? text : undefined,
        headers: {
          ...headers,
          ...type,
          ...(api === 'private' ? this.#signed(method, target + query, text) : {}),
        },
      }
    }

    override handleErrors(
      status: number,
      _text: string,
      _url: string,
      _method: string,
      headers: Params,
      _body: string,
      response: Raw | undefined,
    ): undefined {
      if (typeof response !== 'object' || response.code === undefined) {
        // Not the venue's word: a refusal of whoever stands between is left to ccxt.
        if (status >= 400) return undefined
        throw new ccxt.BadResponse(`${this.id} got an answer that is not the venue's`)
      }
      const code = String(response.code)
      if (code === String(product.successCode)) return undefined
      const reason = this.safeString(headers, 'X-Error-Reason')
      const message = this.safeString2(response, 'errMsg', 'msg', `HTTP ${status}`) as string
      const name = errorName(product.errors, reason, code, message)
      const error = new ccxt[name](`${this.id} ${reason ?? code}: ${message}`)
      if (!isOpenOutcome(name)) this.#refusals.add(error)
      throw error
    }

    isRefusal(error: unknown): boolean {
      return error instanceof ccxt.ExchangeError || this.#refusals.has(error as object)
    }

    async answer([api, method, path]: Call, params: Params = {}, headers: Params = {}) {
      return (await this.request(path, api, method, params, headers)) as Raw
    }

    async ask(call: Call, params: Params = {}, headers: Params = {}) {
      return (await this.answer(call, params, headers)).data
    }

    async follow({ hash, subscription, message, keep, read }: Channel): Promise<unknown[]> {
      const inbox = this.#inboxes.get(hash) ?? new Inbox(keep)
      this.#inboxes.set(hash, inbox)
      // Of several who wait for one name the first takes all; the others wait on.
      if (inbox.isEmpty) await this.loadHttpProxyAgent()
      while (inbox.isEmpty) await this.watch(this.#streamUrl(), hash, message, subscription)
      const items = inbox.take()
      try {
        return read ? await read(items as never[]) : items
      } catch (error) {
        inbox.putBack(items)
        throw error
      }
    }

    deliver(hash: string, items: readonly unknown[]): void {
      const inbox = this.#inboxes.get(hash)
      if (!inbox || items.length === 0) return
      inbox.put(items)
      for (const client of Object.values(this.clients)) client.resolve(true, hash)
    }

    override client(url: string) {
      const known = this.clients[url]
      if (known) return known
      const client = super.client(url)
      const onError = client.onError.bind(client)
      const signed = this.apiKey ? this.#signed('GET', product.streamPath, '') : {}
      Object.assign(client, {
        options: { ...(client as unknown as { options: Params }).options, headers: signed },
        onError: (error: Error) => onError(this.#refusedUpgrade(error)),
        onMessage: (event: { data: unknown }) => this.#received(client, String(event.data)),
      })
      client.ping = () => product.ping
      client.keepAlive = Number(this.options.streamKeepAlive)
      return client
    }

    /** A signature that is not accepted ends the upgrade by HTTP 401, or 400 with that code in its body. */
    #refusedUpgrade(error: Error): Error {
      if (!/server response: 40[01]$/.test(error.message)) return error
      return new ccxt.AuthenticationError(`${this.id} the stream refuses the API key: ${error.message}`)
    }

    #received(client: ReturnType<Bourse['client']>, text: string): void {
      client.lastPong = this.milliseconds()
      const message = this.parseJson(text) as Raw | undefined
      if (typeof message !== 'object') return
      const fail = (hash: string, error: Error) => {
        delete client.subscriptions[hash]
        const names = Object.keys(client.futures).filter((name) => name === hash || name.startsWith(`${hash}:`))
        for (const name of names) client.reject(error, name)
      }
      try {
        product.receive(this as unknown as Venue, message, fail)
      } catch (error) {
        // A gap, or a message that is not what it should be: nothing that follows can be trusted.
        client.onError(error as Error)
        client.close()
      }
    }

    #signed(method: string, target: string, body: string): Record<string, string> {
      this.checkRequiredCredentials()
      for (const name of product.neededOptions) {
        if (this.options[name] === undefined) throw new ccxt.ArgumentsRequired(`${this.id} requires options.${name}`)
      }
      return product.headers(this, { method, target, body, timestamp: String(this.nonce()) })
    }

    #baseUrl(): string {
      const { api } = this.urls as { api?: { rest?: string } }
      if (api?.rest) return api.rest.replace(/\/$/, '')
      throw new ccxt.ArgumentsRequired(`${this.id} requires urls.api.rest, the address of the venue`)
    }

    #streamUrl(): string {
      return this.#baseUrl().replace(/^http/, 'ws') + product.streamPath
    }
  }

  for (const [name, operation] of Object.entries(product.operations)) {
    Object.defineProperty(Bourse.prototype, name, {
      value(this: Venue, ...args: never[]) {
        return operation(this, ...args)
      },
      configurable: true,
      writable: true,
    })
  }
  return Bourse as unknown as Ccxt['Exchange']
}

/** True for what the product does, false for everything else. */
function hasOf(known: Params, { operations, description }: Product): Params {
  const names = Object.keys(known).filter((name) => UNIFIED.test(name))
  const own = Object.keys(operations).filter((name) => UNIFIED.test(name))
  const emulated = own.flatMap((name) => EMULATED[name] ?? [])
  return {
    ...Object.fromEntries(names.map((name) => [name, false])),
    ...Object.fromEntries([...own, ...emulated].map((name) => [name, true])),
    ...(description.has as Params),
  }
}

/** The table of calls as ccxt makes its methods of it, such as `publicGetMarketTickers`. */
function apiOf(calls: Product['calls']): Params {
  const api: Record<string, Record<string, Record<string, number>>> = { public: {}, private: {} }
  for (const [access, method, path] of Object.values(calls)) {
    const paths = { ...api[access]?.[method.toLowerCase()], [path]: 1 }
    api[access] = { ...api[access], [method.toLowerCase()]: paths }
  }
  return api
}

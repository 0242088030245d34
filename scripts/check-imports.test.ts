import { describe, expect, it } from 'vitest'
import { violationsOf } from './check-imports.ts'

describe('the import direction', () => {
  it.each([
    ['http/server.ts', "import { verify } from '../auth/hmac.ts'"],
    ['lib/clock.ts', "import type { Sql } from '../db/pool.ts'"],
    ['stock/orders.ts', "import { x } from '../perp/orders.ts'"],
    ['market/store.ts', "export { x } from '../stock/store.ts'"],
    ['chain/rpc.ts', "const x = await import('../http/server.ts')"],
    ['db/pool.ts', "import '../config.ts'"],
    ['auth/keys.ts', "import {\n  a,\n  b,\n} from '../delegation/status.ts'"],
    ['chain/rpc.ts', "import { x } from '../common/x.ts'"],
  ])('refuses %s: %s', (file, source) => {
    expect(violationsOf(file, source)).toHaveLength(1)
  })

  it.each([
    ['main.ts', "import { startApi } from './roles/api.ts'"],
    ['stock/routes/orders.ts', "import { x } from '../store.ts'\nimport { y } from '../../lib/decimal.ts'"],
    ['auth/keys.ts', "import type { Caller } from '../http/product.ts'\nimport { hash } from 'node:crypto'"],
  ])('allows %s: %s', (file, source) => {
    expect(violationsOf(file, source)).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { closedDoor, enteredBy, violationsOf } from './check-imports.ts'

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
    ['roles/status.ts', "import { sumHedges } from '../stock/keeper/hedges.ts'"],
    ['main.ts', "import type { Total } from './perp/store.ts'"],
    ['config.ts', "const { stockVariables } = await import('./stock/variables.ts')"],
    ['roles/status.test.ts', "import { stockContext } from '../stock/context.ts'"],
    ['stock/calldata/calldata.ts', "import { preview } from '../orders/preview.ts'"],
    ['stock/sending/send.ts', "import type { Route } from '../routes/order.ts'"],
    ['stock/store.ts', "import { orderView } from './orders/orders.ts'"],
    ['stock/recording/claims.ts', "import { sendForUser } from '../sending/send.ts'"],
    ['stock/orders/orders.ts', "import { stockContext } from '../context.ts'"],
    ['stock/tasks.ts', "import { stock } from './index.ts'"],
    ['perp/orders/orders.ts', "import { x } from '../somewhere/x.ts'"],
  ])('refuses %s: %s', (file, source) => {
    expect(violationsOf(file, source)).toHaveLength(1)
  })

  it.each([
    ['main.ts', "import { startApi } from './roles/api.ts'"],
    ['roles/products.ts', "import { stock } from '../stock/index.ts'"],
    ['stock/routes/order.ts', "import { sendForUser } from '../sending/send.ts'"],
    ['stock/orders/preview.ts', "import { encode } from '../calldata/calldata.ts'\nimport { read } from '../store.ts'"],
    ['stock/orders/orders.ts', "import type { StockContext } from '../context.ts'"],
    ['stock/calldata/calldata.test.ts', "import { preview } from '../orders/preview.ts'"],
    ['stock/keeper/testing-scene.ts', "import { stockRoutes } from '../routes/register.ts'"],
    ['stock/tasks.ts', "import { settle } from './keeper/settle.ts'\nimport { stockEvents } from './events.ts'"],
    ['stock/routes/orders.ts', "import { x } from '../store.ts'\nimport { y } from '../../lib/decimal.ts'"],
    ['auth/keys.ts', "import type { Caller } from '../http/product.ts'\nimport { hash } from 'node:crypto'"],
  ])('allows %s: %s', (file, source) => {
    expect(violationsOf(file, source)).toEqual([])
  })
})

describe('products, from outside of server/src', () => {
  it('are entered by index.ts, testing and the doors of the list', () => {
    const source = "import { a } from '../src/stock/index.ts'\nimport type { B } from '../src/perp/testing/chain.ts'"
    const entered = enteredBy('server/e2e/x.test.ts', source)
    expect(entered).toEqual(['stock/index.ts', 'perp/testing/chain.ts'])
    expect([...entered, 'stock/keeper/hedges.ts'].map(closedDoor)).toEqual([null, null, null])
    expect(closedDoor('stock/keeper/settle-orders.ts')).toMatch(/^stock is entered by/)
  })

  it('are not entered by what imports other rooms, or files of the same name elsewhere', () => {
    const source = "import { a } from '../server/src/http/product.ts'\nimport { b } from './src/stock/strings.ts'"
    expect(enteredBy('bench/x.ts', source)).toEqual([])
  })
})

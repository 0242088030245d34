// A venue with one product more.
import { runVenue } from '../../src/main.ts'
import { products } from '../../src/roles/products.ts'
import { till } from './index.ts'

await runVenue([...products, till])

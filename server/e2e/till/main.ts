// The venue with the till.
import { runVenue } from '../../src/main.ts'
import { products } from './products.ts'

await runVenue(products)

import { products as venueProducts } from '../../src/roles/products.ts'
import { till } from './index.ts'

/** A venue with one product more. */
export const products = [...venueProducts, till]

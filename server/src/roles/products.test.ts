import { expect, it } from 'vitest'
import { migrationFiles } from '../db/migrate.ts'
import { migrationFolders, products } from './products.ts'

it('the venue runs every migration that stands in server/src, as the databases of tests have them', () => {
  expect(migrationFiles(migrationFolders(products))).toEqual(migrationFiles())
})

import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import { storePicture } from '~/features/pictures/pictures.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { picture } from '../../../tests/factories/pictures.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import type { Schema } from './api.view.ts'
import { openApiDocument } from './openapi.server.ts'

useDatabase()

/** What the description says of every field `image` in it, however deep. */
function imagesIn(schema: Schema): (string | undefined)[] {
	const parts = [
		...Object.values(schema.properties ?? {}),
		...(schema.anyOf ?? []),
		...(schema.items ? [schema.items] : []),
	]
	return [...(schema.properties?.image ? [schema.properties.image.description] : []), ...parts.flatMap(imagesIn)]
}

test('every picture of a member is described by the addresses of its files', async () => {
	const mira = await makeMember('mira')
	const { path } = await storePicture(mira, 'profile', new Blob([new Uint8Array(await picture('png'))]))
	const files = readdirSync(join(config().dataDir, 'media', dirname(path))).map(
		(file) => `/media/${dirname(path)}/${file}`,
	)
	const described = Object.values(openApiDocument().components.schemas).flatMap(imagesIn)
	expect(described.length).toBeGreaterThan(5)
	for (const text of described) {
		const [, template = '', widths = ''] = /`([^`]+)`, ([\d, ]+) pixels/.exec(text ?? '') ?? []
		const addresses = widths.split(', ').map((width) => template.replace('{image}', path).replace('{width}', width))
		expect(addresses.toSorted()).toEqual(files.toSorted())
	}
})

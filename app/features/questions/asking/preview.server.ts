import { countUse } from '~/features/accounts/security/rates.server.ts'
import { tagsOf } from '~/features/tags/tags.limits.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { parseInput } from '~/platform/http/parse.server.ts'
import { previewInput } from '../questions.schema.ts'
import { cookDescription } from './texts.server.ts'

/**
 * A description as its page will show it: cooked as publishing cooks it, and stored nowhere.
 * @param input `description`; `tags` as typed, as they name the language of plain code blocks
 * @param ip where the request came from
 * @throws Invalid when it is too long, TooMany
 */
export async function previewDescription(viewer: Viewer, ip: string, input: unknown): Promise<{ html: string }> {
	const { description, tags } = parseInput(previewInput, input)
	await countUse('previews', viewer, ip)
	const { html } = await cookDescription(description, tagsOf(tags))
	return { html }
}

import { storePicture } from '~/features/pictures/pictures.server.ts'
import { loadSharp } from '~/lib/sharp.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { writeDemoPicture } from './demo.queries.server.ts'
import type { DemoPortrait } from './demo.schema.ts'

/** Side length in pixels; the parts are drawn on a 240 × 240 canvas. */
const SIDE = 480

type Part = (portrait: DemoPortrait) => string

/** Shapes behind and in front of the head, for each kind of hair. The head is an ellipse of 44 × 54 around (120, 104). */
const hairs: Record<DemoPortrait['hair'], { behind: Part; before: Part }> = {
	short: {
		behind: () => '',
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M74 104c-6-38 14-66 48-66 36 0 54 26 46 66-4-18-12-30-24-34-18 8-44 6-58-2-6 8-10 18-12 36z"/>`,
	},
	curls: {
		behind: () => '',
		before: ({ hairColor }) =>
			[
				...[
					[84, 76],
					[92, 56],
					[110, 45],
					[130, 45],
					[148, 56],
					[157, 76],
				],
				...[
					[76, 94],
					[164, 94],
				],
			]
				.map(([x, y]) => `<circle fill="${hairColor}" cx="${x}" cy="${y}" r="17"/>`)
				.join(''),
	},
	bob: {
		behind: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M66 146c-6-64 8-108 54-108s60 44 54 108c-20 12-88 12-108 0z"/>`,
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M74 100c-2-40 18-60 46-60s48 20 46 60c-14-6-26-18-32-32-12 16-34 28-60 32z"/>`,
	},
	long: {
		behind: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M64 206c-8-92-4-168 56-168s64 76 56 168c-30 10-82 10-112 0z"/>`,
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M74 106c-4-42 16-66 46-66s50 24 46 66c-12-10-20-24-22-40-18 6-34 6-50 0-2 16-8 30-20 40z"/>`,
	},
	bun: {
		behind: ({ hairColor }) => `<circle fill="${hairColor}" cx="120" cy="34" r="24"/>`,
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M74 104c-4-42 16-64 46-64s50 22 46 64c-6-18-20-32-46-32s-40 14-46 32z"/>`,
	},
	braid: {
		behind: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M158 92c22 30 26 70 12 118-10 4-20 2-26-4 14-40 12-76 14-114z"/>`,
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M74 106c-4-42 16-66 46-66s50 24 46 66c-8-12-14-26-16-38-22 14-50 12-62 6-4 10-8 20-14 32z"/>`,
	},
	scarf: {
		behind: ({ hairColor }) =>
			`<path fill="${hairColor}" d="M58 216c-4-30 4-44 8-66-4-66 8-114 54-114s58 48 54 114c4 22 12 36 8 66z"/>`,
		before: ({ hairColor }) =>
			`<path fill="${hairColor}" fill-rule="evenodd" d="M64 120c-4-54 18-84 56-84s60 30 56 84c-2 40-26 64-56 64s-54-24-56-64zm18-12c0 34 14 56 38 56s38-22 38-56-14-46-38-46-38 12-38 46z"/>`,
	},
}

const extras: Record<DemoPortrait['extra'][number], Part> = {
	glasses: () =>
		'<g fill="none" stroke="#2b2b2b" stroke-width="3.5"><circle cx="102" cy="106" r="13"/><circle cx="138" cy="106" r="13"/><path d="M115 105q5-4 10 0"/></g>',
	beard: ({ hairColor }) =>
		`<path fill="${hairColor}" d="M77 116c2 30 18 46 43 46s41-16 43-46c-8 12-18 14-26 12-10-4-24-4-34 0-8 2-18 0-26-12z"/>`,
}

/** The SVG of a demo member's portrait. */
export function drawPortrait(portrait: DemoPortrait): string {
	const { ground, skin, shirt, hair, extra } = portrait
	const { behind, before } = hairs[hair]
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 240" width="${SIDE}" height="${SIDE}">
		<rect width="240" height="240" fill="${ground}"/>
		${behind(portrait)}
		<path fill="${shirt}" d="M22 240c2-44 36-62 98-62s96 18 98 62z"/>
		<path fill="${skin}" d="M100 140h40v34c0 26-40 26-40 0z"/>
		<path fill="#000" opacity=".12" d="M100 152c8 12 32 12 40 0v12c-10 10-30 10-40 0z"/>
		<ellipse fill="${skin}" cx="120" cy="104" rx="44" ry="54"/>
		${extra.includes('beard') ? extras.beard(portrait) : ''}
		<g fill="#241a16"><circle cx="102" cy="106" r="4.5"/><circle cx="138" cy="106" r="4.5"/></g>
		<path fill="none" stroke="#241a16" stroke-width="3.5" stroke-linecap="round" d="M94 93q8-5 15-1M131 92q7-4 15 1"/>
		<path fill="none" stroke="#000" stroke-opacity=".25" stroke-width="3" stroke-linecap="round" d="M120 108v14"/>
		<path fill="none" stroke="${extra.includes('beard') ? '#f3d9c4' : '#7a3b2c'}" stroke-width="4" stroke-linecap="round" d="M106 136q14 11 28 0"/>
		${before(portrait)}
		${extra.includes('glasses') ? extras.glasses(portrait) : ''}
	</svg>`
}

/**
 * Adds the pictures of demo members, processed like uploads. If the first start is interrupted, some members keep their initials.
 * @param ids of the members by username
 */
export async function addDemoPortraits(portraits: DemoPortrait[], ids: ReadonlyMap<string, number>): Promise<void> {
	const sharp = await loadSharp()
	for (const portrait of portraits) {
		const { username } = portrait
		const id = ids.get(username)
		if (id === undefined) throw new Error(`There is a portrait of ${username}, who is no demo member.`)
		const member: SignedIn = { id, username, name: '', image: null, role: 'member' }
		const png = await sharp(Buffer.from(drawPortrait(portrait)))
			.png()
			.toBuffer()
		const { path } = await storePicture(member, 'profile', new Blob([new Uint8Array(png)], { type: 'image/png' }))
		await writeDemoPicture(id, path)
	}
}

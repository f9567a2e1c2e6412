import type { RootData } from '~/lib/root-data.ts'

const words = {
	full: "The site's disk is full: nothing can be saved until there is room. You can still read.",
	'nearly-full': "The site's disk is nearly full. Make room soon, or nothing can be saved.",
} as const

/** Tells moderators and admins, on every page, that the disk of the site has little room left. */
export function DiskBanner({ disk }: { disk: NonNullable<RootData['disk']> }) {
	const colours = disk === 'full' ? 'border-red-line bg-red-wash' : 'border-marigold-line bg-marigold-wash'
	return (
		<p role="status" className={`border-b px-4 py-2 text-center text-sm font-semibold text-ink ${colours}`}>
			{words[disk]}
		</p>
	)
}

import type { IconNode } from 'lucide'
import { expect, test } from 'vitest'
import { iconMarkup } from './icon.tsx'

test.each<[IconNode, string]>([
	[[['path', { d: 'M12 5v14' }]], 'M12 5v14'],
	// What follows a relative beginning stays relative.
	[[['path', { d: 'm5 12 7-7 7 7' }]], 'M5 12l7-7 7 7'],
	[[['path', { d: 'm19 12-7 7-7-7' }]], 'M19 12l-7 7-7-7'],
	[[['path', { d: 'm4.93 4.93.71.71' }]], 'M4.93 4.93l.71.71'],
	[[['path', { d: 'm9 9a2 2 0 0 1 2 2' }]], 'M9 9a2 2 0 0 1 2 2'],
	[[['line', { x1: '8', x2: '16', y1: '21', y2: '21' }]], 'M8 21L16 21'],
	[[['polyline', { points: '22 12 16 12 14 15' }]], 'M22 12 16 12 14 15'],
	[[['polygon', { points: '1 1 2 2 3 1' }]], 'M1 1 2 2 3 1Z'],
	[[['circle', { cx: '11', cy: '11', r: '8' }]], 'M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z'],
	[[['rect', { x: '2', y: '3', width: '20', height: '14' }]], 'M2 3h20v14h-20v-14Z'],
	[
		[['rect', { x: '2', y: '3', width: '20', height: '14', rx: '2' }]],
		'M4 3h16a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2Z',
	],
	[
		[
			['path', { d: 'm21 21-4.34-4.34' }],
			['circle', { cx: '11', cy: '11', r: '8' }],
		],
		'M21 21l-4.34-4.34M3 11a8 8 0 1 0 16 0a8 8 0 1 0 -16 0Z',
	],
])('the shapes %j are one path', (icon, d) => {
	expect(iconMarkup(icon)).toBe(`<path d="${d}"/>`)
})

test('a shape that cannot be converted exactly is an error', () => {
	expect(() => iconMarkup([['text', {}]] as unknown as IconNode)).toThrow('No path for <text>.')
})

import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Avatar, avatarColour } from './avatar.tsx'

test('every username has one of six background colours, always the same', () => {
	const names = Array.from({ length: 200 }, (_, index) => `member-${index}`)
	expect(new Set(names.map(avatarColour))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
	expect(names.map(avatarColour)).toEqual(names.map(avatarColour))
})

test('without a picture there are initials, and the dot only where presence is shown', () => {
	const user = { username: 'mira', name: 'Mira Quillon', image: null }
	expect(renderToStaticMarkup(<Avatar user={user} size={32} />)).toContain('>MQ</span>')
	expect(renderToStaticMarkup(<Avatar user={user} size={32} />)).not.toContain('presence')
	expect(renderToStaticMarkup(<Avatar user={user} size={32} online />)).toContain('data-online')
	expect(renderToStaticMarkup(<Avatar user={user} size={32} online={false} />)).not.toContain('data-online')
})

test('no style attribute is rendered, as the content security policy would reject it', () => {
	const user = { username: 'mira', name: 'Mira Quillon', image: `profiles/mira/${'a'.repeat(32)}` }
	const html = renderToStaticMarkup(<Avatar user={user} size={112} />)
	expect(html).toContain(`src="/media/profiles/mira/${'a'.repeat(32)}-224.webp"`)
	expect(html).not.toContain('style=')
})

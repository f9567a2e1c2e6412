import type sharp from 'sharp'

/**
 * The library for pictures, loaded with the first picture that a process handles: it takes 50 ms of processor time. libvips decodes on
 * threads of its own, one picture at a time; its cache would only take memory.
 */
export async function loadSharp(): Promise<typeof sharp> {
	const library = (await import('sharp')).default
	library.cache(false)
	library.concurrency(1)
	return library
}

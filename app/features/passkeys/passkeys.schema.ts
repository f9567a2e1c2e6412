import { z } from 'zod'

/** The name of a passkey. */
export const passkeyNameInput = z.object({
	name: z
		.string({ error: 'Enter a name.' })
		.trim()
		.min(1, 'Enter a name, such as “My laptop”.')
		.max(60, 'A name has at most 60 characters.'),
})

const text = z.string().max(16_000)
const credential = { id: text, rawId: text, type: z.literal('public-key') }

/** The browser's `toJSON()` of an authentication; unknown members are dropped. */
export const assertionInput = z.object({
	...credential,
	response: z.object({
		clientDataJSON: text,
		authenticatorData: text,
		signature: text,
		userHandle: text.optional(),
	}),
})

const transport = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** The browser's `toJSON()` of a registration; unknown transports are dropped. */
export const attestationInput = z.object({
	...credential,
	response: z.object({
		clientDataJSON: text,
		attestationObject: text,
		transports: z
			.array(z.string().max(40))
			.max(20)
			.default([])
			.transform((sent) => sent.filter((one): one is z.output<typeof transport> => transport.safeParse(one).success)),
	}),
})

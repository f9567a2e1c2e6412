import { z } from 'zod'

/* Parses a signed assertion from the library's output: lists of elements by name, `_` their text, `$` their attributes. */

/** An element without text and attributes is parsed as an empty text. */
const element = <Shape extends z.ZodRawShape>(shape: Shape) =>
	z.preprocess((value) => (value === '' ? {} : value), z.object(shape))

const subjectConfirmation = element({
	$: z.object({ Method: z.string() }),
	SubjectConfirmationData: z
		.tuple([
			element({
				$: z.object({
					Recipient: z.string().optional(),
					InResponseTo: z.string().optional(),
					NotBefore: z.string().optional(),
					NotOnOrAfter: z.string().optional(),
				}),
			}),
		])
		.optional(),
})

const parsedAssertion = z.object({
	Assertion: z.object({
		Issuer: z.tuple([element({ _: z.string() })]),
		Subject: z.tuple([
			element({
				NameID: z
					.tuple([element({ _: z.string().default(''), $: z.object({ Format: z.string().default('') }).optional() })])
					.optional(),
				SubjectConfirmation: z.array(subjectConfirmation),
			}),
		]),
		AuthnStatement: z.array(element({ $: z.object({ SessionNotOnOrAfter: z.string().optional() }).optional() })),
		AttributeStatement: z
			.array(
				element({
					Attribute: z
						.array(
							element({
								$: z.object({ Name: z.string() }),
								AttributeValue: z.array(element({ _: z.string().default('') })).default([]),
							}),
						)
						.default([]),
				}),
			)
			.default([]),
	}),
})

export interface SamlAssertion {
	/** The entity ID of the identity provider. */
	issuer: string
	/** Null without one. The format is a URN, or empty. */
	nameId: { value: string; format: string } | null
	/** Subject confirmations; times in ISO 8601 as received. */
	confirmations: readonly {
		method: string
		recipient?: string | undefined
		inResponseTo?: string | undefined
		notBefore?: string | undefined
		notOnOrAfter?: string | undefined
	}[]
	/** When the session at the identity provider ends; ISO 8601. */
	sessionEnds: readonly string[]
	/** Trimmed, non-empty values by name. */
	attributes: ReadonlyMap<string, readonly string[]>
}

/**
 * Parses an assertion whose signature was verified.
 * @param parsed the library's output for the signed bytes
 * @throws ZodError if it is not valid SAML 2.0
 */
export function readAssertion(parsed: unknown): SamlAssertion {
	const { Issuer, Subject, AuthnStatement, AttributeStatement } = parsedAssertion.parse(parsed).Assertion
	const [{ NameID, SubjectConfirmation }] = Subject
	const [nameId] = NameID ?? []
	const attributes = new Map<string, string[]>()
	for (const { $, AttributeValue } of AttributeStatement.flatMap(({ Attribute }) => Attribute)) {
		const values = AttributeValue.map(({ _: value }) => value.trim()).filter((value) => value !== '')
		attributes.set($.Name, [...(attributes.get($.Name) ?? []), ...values])
	}
	return {
		issuer: Issuer[0]._.trim(),
		nameId: nameId ? { value: nameId._.trim(), format: nameId.$?.Format ?? '' } : null,
		confirmations: SubjectConfirmation.map(({ $: { Method }, SubjectConfirmationData: data }) => {
			const { Recipient, InResponseTo, NotBefore, NotOnOrAfter } = data?.[0].$ ?? {}
			return {
				method: Method,
				recipient: Recipient,
				inResponseTo: InResponseTo,
				notBefore: NotBefore,
				notOnOrAfter: NotOnOrAfter,
			}
		}),
		sessionEnds: AuthnStatement.flatMap(({ $ }) => $?.SessionNotOnOrAfter ?? []),
		attributes,
	}
}

// Package hashlane is a client of the hashlane hashing service: digests and verdicts over streamed
// bytes.
//
//	client, err := hashlane.Connect([]string{"https://hashlane.example:50052"})
//	answer, err := client.Digest(ctx, hashlane.File("upload"), hashlane.SHA256, hashlane.MD5)
//
// A part is one blob to digest. Client.Digest and Client.Verify send one part from a Source.
// OpenDigestStream and OpenVerifyStream send many at once on one call. DigestBatch is for many
// small blobs, and Compose gives S3's values of an object from those of its parts.
//
// A call that a server did not answer is retried, there or on another endpoint, if its bytes can be
// read again. A retry always sends the whole part, so a failed attempt leaves no trace in a
// verdict. A mismatch is an answer, not an error.
//
// A Client is safe for concurrent use. Errors are *Error; status.Code reads them too.
//
//	client.go      Client: one method for each operation
//	stream.go      many parts at once; calls that follow each other
//	call.go        one call, its parts, their answers
//	part.go        a part in progress
//	writer.go      parts that are written piece by piece; hash.go: as hash.Hash
//	source.go      where bytes come from
//	answer.go      digests, verdicts, and whether they answer what was asked
//	pool.go        endpoints and connections; retry.go: trying again
//	payload.go     bytes of a message; codec.go: sends them without a copy
//	memory.go      memory shared with a server on this machine
//	options.go     settings, endpoints, TLS, tokens
//	hashlanev1/    generated from proto/hashlane/v1/hash_service.proto
package hashlane

import Fixtures

/// The JSON of a shipped card.
func shippedJSON(_ name: String) throws -> [UInt8] { try [UInt8](Fixtures.data("Cards/\(name).json")) }

import Ciphers
import Octets
import Testing

/// SHA-256 against the examples of FIPS 180 and against coreutils.
struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `the digest of a text is that of the standard`(_ text: String, _ digest: String) throws {
    #expect(SHA256.digest(of: Array(text.utf8)) == (try [UInt8](hex: digest)))
  }

  /// SHA-256 over the digests of 0 to 200 bytes "a", from Python's hashlib.
  @Test func `every length around the limits of a block is padded as the standard says`() throws {
    let all = (0...200).flatMap { SHA256.digest(of: [UInt8](repeating: 0x61, count: $0)) }
    let expected = "1be2d7d291484baf4c78d463a65b40a26c255b1946e5205eac8edad606a76fdd"
    #expect(SHA256.digest(of: all) == (try [UInt8](hex: expected)))
  }
}

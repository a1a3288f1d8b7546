import Ciphers
import Octets
import Testing

extension ExampleTests {
  @Test func `the article about ciphers: a value is sealed and opened`() {
    let (storedKey, content, identity) = ([UInt8](repeating: 7, count: 32), Array("content".utf8), Array("place".utf8))

    let key = SealingKey(Secret(copying: storedKey))
    let sealed = key.seal(content.span, as: identity, random: SystemRandomSource())
    print(key.open(sealed, as: identity) == content)

    #expect(key.open(sealed, as: identity) == content)
  }
}

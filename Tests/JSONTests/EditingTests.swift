import JSON
import Testing

@Suite struct EditingTests {
  static let document: JSONValue = ["name": "kiosk", "limits": [["floor": 1], ["floor": 2]]]

  @Test func `a copy has another value at a path`() {
    let changed = Self.document.setting("limits[1].floor", to: 3).setting("name", to: "shop")
    #expect(changed == ["name": "shop", "limits": [["floor": 1], ["floor": 3]]])
    #expect(Self.document["name"] == "kiosk")
  }

  @Test func `a new key is appended, and so is an element at the end of a list`() {
    let changed = Self.document.setting("country.code", to: 276).setting("limits[2]", to: 7)
    #expect(changed["country"] == ["code": 276])
    #expect(changed["limits"]?.list?.count == 3)
  }

  @Test func `nil removes a key or an element`() {
    let changed = Self.document.setting("name", to: nil).setting("limits[0]", to: nil)
    #expect(changed == ["limits": [["floor": 2]]])
  }

  @Test func `a path through a text or beyond a list changes nothing`() {
    #expect(Self.document.setting("name.first", to: 1) == Self.document)
    #expect(Self.document.setting("limits[3]", to: 1) == Self.document)
  }
}

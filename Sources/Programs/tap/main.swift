print("tap")

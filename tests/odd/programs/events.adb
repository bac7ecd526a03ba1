--  What Ada's code does that no other language's does: exceptions through frames of other
--  packages, controlled types that are finalised on the way, unconstrained arrays on the
--  secondary stack, generics, checks that fail, dispatching calls and nested functions.
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Finalization;

procedure Events is
   type Counter is access all Integer;
   type Guard (Count : Counter) is new Ada.Finalization.Limited_Controlled with null record;
   overriding procedure Finalize (Object : in out Guard);

   Finalised : aliased Integer := 0;
   Stopped   : exception;

   overriding procedure Finalize (Object : in out Guard) is
   begin
      Object.Count.all := Object.Count.all + 1;
   end Finalize;

   package Shapes is
      type Shape is abstract tagged record
         Size : Long_Float := 1.5;
      end record;
      function Area (Object : Shape) return Long_Float is abstract;
      type Square is new Shape with null record;
      overriding function Area (Object : Square) return Long_Float is (Object.Size ** 2);
      type Circle is new Shape with record
         Scale : Long_Float := 3.0;
      end record;
      overriding function Area (Object : Circle) return Long_Float is
        (Object.Scale * Object.Size ** 2);
   end Shapes;

   function Repeated (Text : String; Times : Natural) return String is
     (if Times = 0 then "" else Text & Repeated (Text, Times - 1));

   generic
      type Element is private;
      with function "+" (Left, Right : Element) return Element;
   function Sum (First : Element; Times : Positive) return Element;
   function Sum (First : Element; Times : Positive) return Element is
      Total : Element := First;
   begin
      for Turn in 2 .. Times loop
         Total := Total + First;
      end loop;
      return Total;
   end Sum;
   function Sum_Of_Integers is new Sum (Integer, "+");
   function Sum_Of_Floats is new Sum (Long_Float, "+");

   procedure Descend (Depth : Natural) is
      Kept : Guard (Finalised'Access);
      function Is_Last return Boolean is (Depth = 0);
   begin
      if Is_Last then
         raise Stopped with Repeated ("ab", 3);
      end if;
      Descend (Depth - 1);
   end Descend;

   Values : array (1 .. 10) of Integer := (others => 7);
   Index  : Integer := 10;
   All_Shapes : constant array (1 .. 2) of access Shapes.Shape'Class :=
     (new Shapes.Square, new Shapes.Circle);
begin
   begin
      Descend (5);
   exception
      when Which : Stopped =>
         Put_Line ("stopped" & Integer'Image (Finalised));
   end;
   begin
      Index := Index + Values'Length;
      Values (Index) := 1;
   exception
      when Constraint_Error =>
         Put_Line ("outside" & Integer'Image (Index));
   end;
   Put_Line (Repeated ("xyz", 4));
   Put_Line (Integer'Image (Sum_Of_Integers (7, 6)));
   Put_Line (Integer'Image (Integer (Sum_Of_Floats (0.5, 8))));
   for One of All_Shapes loop
      Put_Line (Integer'Image (Integer (100.0 * One.Area)));
   end loop;
end Events;
